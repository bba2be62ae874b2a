"""The `send_invoice` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.invoices import send
from soundstage.kernels.paypal.rules.links import Link
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Link | str:
    """Send a draft invoice to its recipients, or schedule it for its date.

    Returns the link of the page that the payer sees, or an empty text if the invoice is scheduled.
    """
    authorize(context)
    return send(
        context,
        arguments["invoice_id"],
        note=arguments.get("note"),
        send_to_recipient=arguments.get("send_to_recipient"),
        additional_recipients=arguments.get("additional_recipients", ()),
    )
