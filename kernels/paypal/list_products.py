"""The `list_products` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.links import PRODUCTS, page_link
from soundstage.kernels.paypal.rules.paging import page_of, totals
from soundstage.kernels.paypal.rules.products import own_links, summary
from soundstage.kernels.types import Arguments

_USUAL_SIZE = 2  # the toolkit's default


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return a page of the catalogue as `{total_items?, total_pages?, products, links}`."""
    authorize(context)
    page, page_size = arguments.get("page", 1), arguments.get("page_size", _USUAL_SIZE)
    products = context.list("product")
    shown = page_of(products, page, page_size)
    return {
        **(totals(products, page_size) if arguments.get("total_required", True) else {}),
        "products": [summary(row, own_links(row["id"])[:1]) for row in shown],
        "links": [page_link(PRODUCTS, page, page_size)],
    }
