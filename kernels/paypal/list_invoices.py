"""The `list_invoices` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.invoices import as_it_is, details
from soundstage.kernels.paypal.rules.links import INVOICES, page_link
from soundstage.kernels.paypal.rules.paging import page_of, totals
from soundstage.kernels.types import Arguments

_USUAL_SIZE = 20  # PayPal's default; the schema's 100 is never sent, because zod ignores a default before `optional()`


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return a page of the merchant's invoices as `{total_items?, total_pages?, items, links}`."""
    authorize(context)
    page, page_size = arguments.get("page", 1), arguments.get("page_size", _USUAL_SIZE)
    own = [row for row in context.list("invoice") if not row.get("no_access")]
    shown = page_of(own, page, page_size)
    return {
        **(totals(own, page_size) if arguments.get("total_required") else {}),
        "items": [details(as_it_is(context, row)) for row in shown],
        "links": [page_link(INVOICES, page, page_size)],
    }
