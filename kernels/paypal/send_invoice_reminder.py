"""The `send_invoice_reminder` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.invoices import LONG_NOTE, check_notice, check_remindable, invoice, with_notice
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Send a reminder about an unpaid invoice.

    PayPal responds with 204, so the reply is an empty text.
    """
    authorize(context)
    note, others = arguments.get("note"), arguments.get("additional_recipients", ())
    check_notice(LONG_NOTE, note, others, arguments.get("subject", ""))
    row = invoice(context, arguments["invoice_id"])
    check_remindable(row)
    notices = with_notice(context, row, "reminded", note, None, others, arguments.get("subject"))
    context.update("invoice", row["id"], {"notices": notices})
    return ""
