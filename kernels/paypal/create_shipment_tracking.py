"""create_shipment_tracking: the parcel with what was paid for."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import BAD_VALUE, UNKNOWN_ID, refused
from soundstage.kernels.paypal.rules.moments import seconds
from soundstage.kernels.paypal.rules.payments import is_payment
from soundstage.kernels.paypal.rules.products import check_sizes
from soundstage.kernels.paypal.rules.trackers import STATUSES, own_links
from soundstage.kernels.types import Arguments

_SIZES = {"tracking_number": (1, 64), "carrier": (1, 64)}


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """`{tracker_identifiers: [{transaction_id, tracking_number, links}]}`. The order's id is not sent on.

    The same parcel of the same payment again is the same tracker, with what is said of it now.
    """
    authorize(context)
    check_sizes(arguments, _SIZES)
    if arguments["status"] not in STATUSES:
        raise refused(BAD_VALUE)
    key = (arguments["transaction_id"], arguments["tracking_number"])
    if not is_payment(context, key[0]):
        raise refused(UNKNOWN_ID)
    told: Object = {"status": arguments["status"], "last_updated_time": seconds(context.now())}
    if "carrier" in arguments:
        told["carrier"] = arguments["carrier"]
    named = dict(zip(("transaction_id", "tracking_number"), key, strict=True))
    if context.get("tracker", key) is None:
        context.create("tracker", {**named, **told})
    else:
        context.update("tracker", key, told)
    return {"tracker_identifiers": [{**named, "links": own_links(*key)}]}
