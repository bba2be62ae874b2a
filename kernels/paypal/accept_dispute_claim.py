"""The `accept_dispute_claim` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.disputes import dispute, own_links
from soundstage.kernels.paypal.rules.errors import message_error
from soundstage.kernels.paypal.rules.times import format_milliseconds
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Resolve a dispute in the buyer's favour and return `{links}`.

    The amount given back this way can no longer be refunded.
    """
    authorize(context)
    row = dispute(context, arguments["dispute_id"])
    if row.get("status") == "RESOLVED" or row.get("dispute_state") == "RESOLVED":
        raise message_error(422, "conflict")
    outcome = {"outcome_code": "RESOLVED_BUYER_FAVOUR"}
    if "dispute_amount" in row:
        outcome["amount_refunded"] = row["dispute_amount"]
    changes = {
        "status": "RESOLVED",
        "dispute_state": "RESOLVED",
        "dispute_outcome": outcome,
        "note": arguments["note"],
        "update_time": format_milliseconds(context.now()),
    }
    context.update("dispute", row["dispute_id"], changes)
    return {"links": own_links(row["dispute_id"])}
