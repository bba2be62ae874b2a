"""The `show_subscription_details` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.subscriptions import details, subscription
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return all fields of a subscription, with its plan on request."""
    authorize(context)
    row = subscription(context, arguments["subscription_id"])
    return details(context, row, with_plan=arguments.get("get_additional_details", False))
