"""PayPal's faults: failed requests between the server and PayPal, and drifts caused by payers.

Sources: `handleAxiosError` of https://github.com/paypal/agent-toolkit 1.8.0; the messages are those of
https://github.com/paypal/paypal-rest-api-specifications, and those of axios if no response arrives.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.get_shipment_tracking import of_order
from soundstage.kernels.paypal.list_transactions import USUAL_MONTHS, not_found
from soundstage.kernels.paypal.rules.errors import (
    PaypalError,
    http_error,
    message_error,
    no_response,
    toolkit_error,
)
from soundstage.kernels.paypal.rules.money import amount, value_of
from soundstage.kernels.paypal.rules.times import format_milliseconds, format_seconds
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

_TOOLKIT = "github:paypal/agent-toolkit typescript/src/shared/functions.ts"
SOURCES = {
    "rate_limit": "recorded; error_429 of PayPal's OpenAPI documents",
    "unavailable": f"{_TOOLKIT}; error_503 of PayPal's OpenAPI documents",
    "server_error": f"{_TOOLKIT}; error_500 of PayPal's OpenAPI documents",
    "auth_expired": "recorded: PayPal's answer to an expired token",
    "timeout": f"{_TOOLKIT} (PAYPAL_API_NO_RESPONSE), with axios' text for a failed connection",
}


def rate_limit(hit: Hit) -> Answer:
    """Word a 429 response."""
    return _worded_error(hit, message_error(429))


def unavailable(hit: Hit) -> Answer:
    """Word a 503 response."""
    return _worded_error(hit, message_error(503))


def server_error(hit: Hit) -> Answer:
    """Word a 500 response."""
    return _worded_error(hit, message_error(500))


def auth_expired(hit: Hit) -> Answer:
    """Word a 401 response for an expired token."""
    return _worded_error(hit, http_error(401, "Token signature verification failed"))


def timeout(hit: Hit) -> Answer:
    """Word a connection that timed out."""
    return _worded_error(hit, no_response("connect ETIMEDOUT 203.0.113.43:443"))


def payer_disputes(context: AppContext, random: Random) -> bool:
    """Open a dispute about a payment whose goods did not arrive."""
    paid = any_row(context, "capture", random, {"status": "COMPLETED"})
    if paid is None or "amount" not in paid:
        return False
    now = format_milliseconds(context.now())
    about = {"seller_transaction_id": paid["id"], "transaction_status": "COMPLETED", "gross_amount": paid["amount"]}
    context.create(
        "dispute",
        {
            "create_time": now,
            "update_time": now,
            "disputed_transactions": [about],
            "reason": "MERCHANDISE_OR_SERVICE_NOT_RECEIVED",
            "status": "WAITING_FOR_SELLER_RESPONSE",
            "dispute_state": "REQUIRED_ACTION",
            "dispute_amount": paid["amount"],
            "dispute_life_cycle_stage": "INQUIRY",
            "dispute_channel": "INTERNAL",
        },
    )
    return True


def subscriber_leaves(context: AppContext, random: Random) -> bool:
    """Cancel an active subscription on behalf of its subscriber."""
    left = any_row(context, "subscription", random, {"status": "ACTIVE"})
    if left is None:
        return False
    over = {"status": "CANCELLED", "status_change_note": "Cancelled by the subscriber"}
    context.update("subscription", left["id"], {**over, "status_update_time": format_seconds(context.now())})
    return True


def recipient_pays(context: AppContext, random: Random) -> bool:
    """Mark a sent invoice as paid."""
    paid = any_row(context, "invoice", random, {"status": "SENT"})
    if paid is None or "amount" not in paid:
        return False
    rest = amount(paid["amount"]["currency_code"], value_of(None))
    context.update("invoice", paid["id"], {"status": "PAID", "due_amount": rest})
    return True


def parcel_arrives(context: AppContext, random: Random) -> bool:
    """Mark a shipped parcel as delivered."""
    there = any_row(context, "tracker", random, {"status": "SHIPPED"})
    if there is None:
        return False
    arrived = {"status": "DELIVERED", "last_updated_time": format_seconds(context.now())}
    context.update("tracker", (there["transaction_id"], there["tracking_number"]), arrived)
    return True


DRIFTS = {
    "payer_disputes": payer_disputes,
    "subscriber_leaves": subscriber_leaves,
    "recipient_pays": recipient_pays,
    "parcel_arrives": parcel_arrives,
}


def _worded_error(hit: Hit, error: PaypalError) -> Answer:
    """Word a failed request as the tool does.

    Some tools never send a request, ignore a failed one, or prefix the error with their own text.
    """
    arguments = hit.arguments
    match hit.tool.name:
        case "update_product":
            error = toolkit_error("Invalid method: update_product")
        case "list_transactions" if arguments.get("transaction_id"):
            error = not_found(arguments["transaction_id"], arguments.get("search_months") or USUAL_MONTHS)
        case "get_shipment_tracking" if "order_id" in arguments and "transaction_id" not in arguments:
            error = of_order(error)
    return worded(hit, error)
