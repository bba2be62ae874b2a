"""create_subscription_plan: a plan of a product, active at once."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.moments import seconds
from soundstage.kernels.paypal.rules.plans import check_cycles, check_schema, summary
from soundstage.kernels.paypal.rules.products import product
from soundstage.kernels.types import Arguments

# What no argument of the tool's names, but what PayPal takes beside them: the schema lets nothing else through.
_ALWAYS: Object = {"status": "ACTIVE", "usage_type": "LICENSED", "quantity_supported": False}


def run(context: AppContext, arguments: Arguments) -> Object:
    """`{id, product_id, name, status, description?, usage_type, create_time, links}`."""
    authorize(context)
    check_schema(arguments)
    product(context, arguments["product_id"])
    check_cycles(arguments["billing_cycles"])
    now = seconds(context.now())
    return summary(context.create("plan", {**arguments, **_ALWAYS, "create_time": now, "update_time": now}))
