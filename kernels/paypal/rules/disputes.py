"""Disputes: a payer's complaint, open until it is resolved. Source: customer_disputes_v1.json."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.errors import UNKNOWN_ID, issue_error
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
_OWN = ("note",)  # the merchant's note when a claim was accepted


def dispute(context: AppContext, dispute_id: str) -> Object:
    """Return a dispute of the merchant.

    Raises:
        PaypalError: No dispute has this id.
    """
    row = context.get("dispute", dispute_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    return row


def concerns(row: Object, transaction_id: str) -> bool:
    """Return whether a dispute is about a payment that the merchant received."""
    return any(t.get("seller_transaction_id") == transaction_id for t in row.get("disputed_transactions", []))


def summary(row: Object) -> Object:
    """Return the fields of a dispute that lists contain."""
    return {**{name: row[name] for name in _SUMMARY if name in row}, "links": own_links(row["dispute_id"])}


def details(row: Object) -> Object:
    """Return all fields of a dispute that PayPal shows."""
    fields = {name: value for name, value in row.items() if name not in _OWN}
    return {**fields, "links": own_links(row["dispute_id"])}


def own_links(dispute_id: str) -> list[Link]:
    """Return the links of a dispute."""
    return [link(f"{DISPUTES}/{dispute_id}")]
