"""send_invoice_reminder: one more mail about an invoice that is not paid."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.invoices import LONG_NOTE, check_notice, check_remindable, invoice, noticed
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """An empty text: PayPal answers 204."""
    authorize(context)
    note, others = arguments.get("note"), arguments.get("additional_recipients", ())
    check_notice(LONG_NOTE, note, others, arguments.get("subject", ""))
    row = invoice(context, arguments["invoice_id"])
    check_remindable(row)
    notices = noticed(context, row, "reminded", note, None, others, arguments.get("subject"))
    context.update("invoice", row["id"], {"notices": notices})
    return ""
