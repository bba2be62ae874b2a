"""The `get_shipment_tracking` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import UNKNOWN_ID, PaypalError, issue_error, toolkit_error
from soundstage.kernels.paypal.rules.links import TRACKERS, link
from soundstage.kernels.paypal.rules.orders import order
from soundstage.kernels.paypal.rules.payments import is_payment
from soundstage.kernels.paypal.rules.trackers import details
from soundstage.kernels.types import Arguments

_OF_ORDER = "Error extracting transaction_id from order details: "


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the parcels of a payment, or of the first payment of an order, as `{trackers, links}`.

    `trackers` is empty for a payment without parcels.
    """
    transaction_id = arguments.get("transaction_id")
    if transaction_id is None:
        if "order_id" not in arguments:
            raise toolkit_error("Either transaction_id or order_id must be provided.")
        transaction_id = _first_capture(context, arguments["order_id"])
    authorize(context)
    if not is_payment(context, transaction_id):
        raise issue_error(UNKNOWN_ID)
    return {
        "trackers": [details(row) for row in context.list("tracker", {"transaction_id": transaction_id})],
        "links": [link(f"{TRACKERS}?transaction_id={transaction_id}")],
    }


def of_order(error: PaypalError) -> PaypalError:
    """Wrap an error about an order in the toolkit's own message."""
    return toolkit_error(_OF_ORDER + error.message, error.kind)


def _first_capture(context: AppContext, order_id: str) -> str:
    """Return the id of the first capture of an order.

    Raises:
        PaypalError: The order cannot be read or has no capture; the message starts with the toolkit's own text.
    """
    try:
        authorize(context)
        units = order(context, order_id).get("purchase_units")
    except PaypalError as error:
        raise of_order(error) from None
    if not units:
        raise toolkit_error(f"{_OF_ORDER}Could not find purchase unit details in order details.", "not_found")
    captures = units[0].get("payments", {}).get("captures")
    if not captures:
        raise toolkit_error(f"{_OF_ORDER}Could not find capture id in the purchase unit details.", "not_found")
    return str(captures[0]["id"])
