"""The `cancel_sent_invoice` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import issue_error
from soundstage.kernels.paypal.rules.invoices import (
    CANNOT_CANCEL,
    LONG_CANCELLATION,
    check_notice,
    invoice,
    with_notice,
)
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Cancel an invoice that was sent but not paid.

    The toolkit turns PayPal's 204 response into `{success, invoice_id}`.
    """
    authorize(context)
    note, others = arguments.get("note"), arguments.get("additional_recipients", ())
    check_notice(LONG_CANCELLATION, note, others)
    row = invoice(context, arguments["invoice_id"])
    if row.get("status", "DRAFT") in CANNOT_CANCEL:
        raise issue_error(CANNOT_CANCEL[row.get("status", "DRAFT")])
    notices = with_notice(context, row, "cancelled", note, arguments.get("send_to_recipient"), others)
    context.update("invoice", row["id"], {"status": "CANCELLED", "notices": notices})
    return {"success": True, "invoice_id": row["id"]}
