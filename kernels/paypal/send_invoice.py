"""send_invoice: a draft goes to its recipients, or waits for its day."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.invoices import send
from soundstage.kernels.paypal.rules.links import Link
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Link | str:
    """Where the payer sees it; an empty text where it is scheduled."""
    authorize(context)
    return send(
        context,
        arguments["invoice_id"],
        note=arguments.get("note"),
        send_to_recipient=arguments.get("send_to_recipient"),
        additional_recipients=arguments.get("additional_recipients", ()),
    )
