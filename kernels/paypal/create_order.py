"""The `create_order` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.orders import check_business, check_schema, own_links, request_of, to_stored
from soundstage.kernels.paypal.rules.payers import awaited_from
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create an order that a payer still has to approve; return `{id, status, links}`.

    The server sends no PayPal-Request-Id, so the same cart sent twice creates two orders. Notes are not forwarded and
    `itemTotal` is ignored.
    """
    unit = request_of(arguments)
    authorize(context)
    check_schema(unit)
    check_business(unit)
    awaited = awaited_from(context)
    addresses = {"return_url": arguments["returnUrl"], "cancel_url": arguments["cancelUrl"]}
    made = context.create(
        "order",
        {
            "intent": "CAPTURE",
            "status": "CREATED",
            **to_stored(unit),
            "create_time": format_seconds(context.now()),
            "experience_context": addresses,
            **({} if awaited is None else {"awaited": awaited}),
        },
    )
    return {"id": made["id"], "status": made["status"], "links": own_links(made["id"], made["status"])}
