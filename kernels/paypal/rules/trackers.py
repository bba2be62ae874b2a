"""Parcels of paid orders. Source: shipping_shipment_tracking_v1.json."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.links import TRACKERS, Link, link

STATUSES = ("CANCELLED", "DELIVERED", "LOCAL_PICKUP", "ON_HOLD", "SHIPPED")


def details(row: Object) -> Object:
    """Return all fields of a parcel."""
    return {**row, "links": own_links(row["transaction_id"], row["tracking_number"])}


def own_links(transaction_id: str, tracking_number: str) -> list[Link]:
    """Return the links of a parcel."""
    return [link(f"{TRACKERS}/{transaction_id}-{tracking_number}")]
