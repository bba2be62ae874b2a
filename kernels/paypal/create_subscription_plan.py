"""The `create_subscription_plan` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.plans import check_cycles, check_schema, summary
from soundstage.kernels.paypal.rules.products import product
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments

# PayPal's defaults for fields that the tool has no arguments for; the tool's schema rejects them.
_ALWAYS: Object = {"status": "ACTIVE", "usage_type": "LICENSED", "quantity_supported": False}


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create an active plan of a product.

    Returns `{id, product_id, name, status, description?, usage_type, create_time, links}`.
    """
    authorize(context)
    check_schema(arguments)
    product(context, arguments["product_id"])
    check_cycles(arguments["billing_cycles"])
    now = format_seconds(context.now())
    return summary(context.create("plan", {**arguments, **_ALWAYS, "create_time": now, "update_time": now}))
