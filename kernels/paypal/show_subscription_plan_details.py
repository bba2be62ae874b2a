"""The `show_subscription_plan_details` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.plans import own_links, plan
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return all fields of a plan."""
    authorize(context)
    row = plan(context, arguments["plan_id"])
    return {**row, "links": own_links(row["id"])}
