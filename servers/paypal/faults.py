"""How the server words what goes wrong between it and PayPal, and what payers do meanwhile.

Sources: `handleAxiosError` of https://github.com/paypal/agent-toolkit 1.8.0; the messages are those of
https://github.com/paypal/paypal-rest-api-specifications, and of axios where nothing comes back.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.get_shipment_tracking import of_order
from soundstage.kernels.paypal.list_transactions import USUAL_MONTHS, not_found
from soundstage.kernels.paypal.rules.errors import (
    PaypalError,
    http_error,
    no_response,
    refused_without_details,
    thrown,
)
from soundstage.kernels.paypal.rules.moments import milliseconds, seconds
from soundstage.kernels.paypal.rules.money import amount, value_of
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

_TOOLKIT = "github:paypal/agent-toolkit typescript/src/shared/functions.ts"
SOURCES = {
    "rate_limit": "recorded; error_429 of PayPal's OpenAPI documents",
    "unavailable": f"{_TOOLKIT}; error_503 of PayPal's OpenAPI documents",
    "server_error": f"{_TOOLKIT}; error_500 of PayPal's OpenAPI documents",
    "auth_expired": "recorded: what PayPal says of a token that is no longer good",
    "timeout": f"{_TOOLKIT} (PAYPAL_API_NO_RESPONSE), with what axios says of a connection that comes to nothing",
}


def rate_limit(hit: Hit) -> Answer:
    return _told(hit, refused_without_details(429))


def unavailable(hit: Hit) -> Answer:
    return _told(hit, refused_without_details(503))


def server_error(hit: Hit) -> Answer:
    return _told(hit, refused_without_details(500))


def auth_expired(hit: Hit) -> Answer:
    return _told(hit, http_error(401, "Token signature verification failed"))


def timeout(hit: Hit) -> Answer:
    return _told(hit, no_response("connect ETIMEDOUT 203.0.113.43:443"))


def payer_disputes(context: AppContext, random: Random) -> bool:
    """Whoever has paid says that nothing has arrived."""
    paid = any_row(context, "capture", random, {"status": "COMPLETED"})
    if paid is None or "amount" not in paid:
        return False
    now = milliseconds(context.now())
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
    """Somebody ends his subscription."""
    left = any_row(context, "subscription", random, {"status": "ACTIVE"})
    if left is None:
        return False
    over = {"status": "CANCELLED", "status_change_note": "Cancelled by the subscriber"}
    context.update("subscription", left["id"], {**over, "status_update_time": seconds(context.now())})
    return True


def recipient_pays(context: AppContext, random: Random) -> bool:
    """An invoice is paid."""
    paid = any_row(context, "invoice", random, {"status": "SENT"})
    if paid is None or "amount" not in paid:
        return False
    rest = amount(paid["amount"]["currency_code"], value_of(None))
    context.update("invoice", paid["id"], {"status": "PAID", "due_amount": rest})
    return True


def parcel_arrives(context: AppContext, random: Random) -> bool:
    """A parcel that was on its way has arrived."""
    there = any_row(context, "tracker", random, {"status": "SHIPPED"})
    if there is None:
        return False
    arrived = {"status": "DELIVERED", "last_updated_time": seconds(context.now())}
    context.update("tracker", (there["transaction_id"], there["tracking_number"]), arrived)
    return True


DRIFTS = {
    "payer_disputes": payer_disputes,
    "subscriber_leaves": subscriber_leaves,
    "recipient_pays": recipient_pays,
    "parcel_arrives": parcel_arrives,
}


def _told(hit: Hit, error: PaypalError) -> Answer:
    """A failed request as the tool tells it: some ask nobody, pass a failure over, or say what they were doing."""
    arguments = hit.arguments
    match hit.tool.name:
        case "update_product":
            error = thrown("Invalid method: update_product")
        case "list_transactions" if arguments.get("transaction_id"):
            error = not_found(arguments["transaction_id"], arguments.get("search_months") or USUAL_MONTHS)
        case "get_shipment_tracking" if "order_id" in arguments and "transaction_id" not in arguments:
            error = of_order(error)
    return worded(hit, error)
