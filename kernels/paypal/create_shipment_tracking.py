"""The `create_shipment_tracking` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import BAD_VALUE, UNKNOWN_ID, issue_error
from soundstage.kernels.paypal.rules.payments import is_payment
from soundstage.kernels.paypal.rules.products import check_sizes
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.paypal.rules.trackers import STATUSES, own_links
from soundstage.kernels.types import Arguments

_SIZES = {"tracking_number": (1, 64), "carrier": (1, 64)}


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Add a parcel to a payment; return `{tracker_identifiers: [{transaction_id, tracking_number, links}]}`.

    The order id is not forwarded. If the tracking number already exists for the payment, its tracker is updated.
    """
    authorize(context)
    check_sizes(arguments, _SIZES)
    if arguments["status"] not in STATUSES:
        raise issue_error(BAD_VALUE)
    key = (arguments["transaction_id"], arguments["tracking_number"])
    if not is_payment(context, key[0]):
        raise issue_error(UNKNOWN_ID)
    details: Object = {"status": arguments["status"], "last_updated_time": format_seconds(context.now())}
    if "carrier" in arguments:
        details["carrier"] = arguments["carrier"]
    named = dict(zip(("transaction_id", "tracking_number"), key, strict=True))
    if context.get("tracker", key) is None:
        context.create("tracker", {**named, **details})
    else:
        context.update("tracker", key, details)
    return {"tracker_identifiers": [{**named, "links": own_links(*key)}]}
