"""The `cancel_subscription` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import issue_error
from soundstage.kernels.paypal.rules.products import check_sizes
from soundstage.kernels.paypal.rules.subscriptions import NOT_CANCELLABLE, subscription
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Cancel a subscription permanently.

    PayPal responds with 204, so the reply is an empty text.
    """
    authorize(context)
    reason = arguments["payload"]["reason"]
    check_sizes({"reason": reason}, {"reason": (1, 128)})
    row = subscription(context, arguments["subscription_id"])
    if row.get("status") not in ("ACTIVE", "SUSPENDED"):
        raise issue_error(NOT_CANCELLABLE)
    cancelled = {
        "status": "CANCELLED",
        "status_change_note": reason,
        "status_update_time": format_seconds(context.now()),
    }
    begun = {name: value for name, value in row.items() if name != "id"}  # fields that the approval added are preserved
    context.update("subscription", row["id"], {**begun, **cancelled})
    return ""
