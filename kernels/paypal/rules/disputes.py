"""Disputes: what a payer complains of, open until it is resolved. Source: customer_disputes_v1.json."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import UNKNOWN_ID, refused
from soundstage.kernels.paypal.rules.links import DISPUTES, Link, link

_SUMMARY = (
    "dispute_id",
    "create_time",
    "update_time",
    "reason",
    "status",
    "dispute_state",
    "dispute_amount",
    "dispute_life_cycle_stage",
    "dispute_channel",
)
_OWN = ("note",)  # what the merchant wrote when he gave in


def dispute(context: AppContext, dispute_id: str) -> Object:
    """A dispute of the merchant's.

    Raises:
        PaypalError: there is none of this id.
    """
    found = context.get("dispute", dispute_id)
    if found is None:
        raise refused(UNKNOWN_ID)
    return found


def concerns(row: Object, transaction_id: str) -> bool:
    """Whether a dispute is about a payment that the merchant received."""
    return any(t.get("seller_transaction_id") == transaction_id for t in row.get("disputed_transactions", []))


def summary(row: Object) -> Object:
    """A dispute as lists tell it."""
    return {**{name: row[name] for name in _SUMMARY if name in row}, "links": own_links(row["dispute_id"])}


def details(row: Object) -> Object:
    told = {name: value for name, value in row.items() if name not in _OWN}
    return {**told, "links": own_links(row["dispute_id"])}


def own_links(dispute_id: str) -> list[Link]:
    return [link(f"{DISPUTES}/{dispute_id}")]
