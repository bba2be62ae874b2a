"""The `create_invoice` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules import billing
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import PaypalError
from soundstage.kernels.paypal.rules.invoices import own_links, send
from soundstage.kernels.paypal.rules.links import Link
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments

_NOTE = "thank you for choosing us. If there are any issues, feel free to contact us"


def run(context: AppContext, arguments: Arguments) -> Link | dict[str, Any]:
    """Create an invoice and send it at once, as the server does without being asked.

    Returns `{createResult, sendResult}`. If the invoice cannot be sent, it stays a draft and the reply is its link
    alone.
    """
    authorize(context)
    billing.check_schema(arguments)
    billing.check_business(context, arguments)
    due = billing.total_of(arguments)
    made = context.create(
        "invoice",
        {
            **arguments,
            "status": "DRAFT",
            "amount": due,
            "due_amount": due,
            "number": f"{context.next_number('invoice'):04d}",
            "create_time": format_seconds(context.now()),
        },
    )
    created = own_links(made["id"])[0]
    try:
        sent = send(context, made["id"], note=_NOTE, send_to_recipient=True)
    except PaypalError:
        return created
    return {"createResult": created, "sendResult": sent}
