"""The `list_disputes` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.disputes import concerns, summary
from soundstage.kernels.paypal.rules.links import DISPUTES, page_link
from soundstage.kernels.paypal.rules.paging import page_of
from soundstage.kernels.types import Arguments

_USUAL_SIZE = 10


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return a page of the disputes as `{items, links}`."""
    authorize(context)
    page, page_size = arguments.get("page", 1), arguments.get("page_size", _USUAL_SIZE)
    state, transaction_id = arguments.get("dispute_state"), arguments.get("disputed_transaction_id")
    matches: list[Object] = [
        row
        for row in context.list("dispute", {} if state is None else {"dispute_state": state})
        if transaction_id is None or concerns(row, transaction_id)
    ]
    return {
        "items": [summary(row) for row in page_of(matches, page, page_size)],
        "links": [page_link(DISPUTES, page, page_size)],
    }
