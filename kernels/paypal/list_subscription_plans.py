"""The `list_subscription_plans` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.links import PLANS, page_link
from soundstage.kernels.paypal.rules.paging import page_of, totals
from soundstage.kernels.paypal.rules.plans import summary
from soundstage.kernels.types import Arguments

_USUAL_SIZE = 10


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return a page of the plans, of one product or of all, as `{total_items?, total_pages?, plans, links}`.

    An empty `product_id` counts as missing.
    """
    authorize(context)
    page, page_size = arguments.get("page", 1), arguments.get("page_size", _USUAL_SIZE)
    wanted = {"product_id": arguments["product_id"]} if arguments.get("product_id") else {}
    plans = context.list("plan", wanted)
    shown = page_of(plans, page, page_size)
    return {
        **(totals(plans, page_size) if arguments.get("total_required", True) else {}),
        "plans": [summary(row) for row in shown],
        "links": [page_link(PLANS, page, page_size)],
    }
