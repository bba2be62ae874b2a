"""Captured payments and their refunds: COMPLETED, PARTIALLY_REFUNDED, REFUNDED. Source: payments_payment_v2.json."""

from __future__ import annotations

from decimal import Decimal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.disputes import concerns
from soundstage.kernels.paypal.rules.errors import (
    BAD_SYNTAX,
    NOT_POSITIVE,
    UNKNOWN_CURRENCY,
    UNKNOWN_ID,
    WRONG_LENGTH,
    Issue,
    refused,
)
from soundstage.kernels.paypal.rules.links import CAPTURES, REFUNDS, Link, link
from soundstage.kernels.paypal.rules.money import CURRENCIES, Money, check_precision, check_syntax, total, value_of

_LONGEST_NOTE = 255

FULLY_REFUNDED = Issue(422, "CAPTURE_FULLY_REFUNDED", "The capture has already been fully refunded", "conflict")
WRONG_CURRENCY = Issue(422, "REFUND_CAPTURE_CURRENCY_MISMATCH", "Refund must be in the same currency as the capture")
EXCEEDED = Issue(
    422,
    "REFUND_AMOUNT_EXCEEDED",
    "The refund amount must be less than or equal to the capture amount that has not yet been refunded.",
    "limit",
)


def capture(context: AppContext, capture_id: str) -> Object:
    """A captured payment.

    Raises:
        PaypalError: there is none of this id.
    """
    found = context.get("capture", capture_id)
    if found is None:
        raise refused(UNKNOWN_ID)
    return found


def is_payment(context: AppContext, transaction_id: str) -> bool:
    """Whether the merchant has ever had a payment of this id, which may be a capture that an order alone tells of."""
    if context.get("capture", transaction_id) is not None:
        return True
    units = [unit for row in context.list("order") for unit in row.get("purchase_units", [])]
    captures = [capture for unit in units for capture in unit.get("payments", {}).get("captures", [])]
    infos = [row.get("transaction_info", {}) for row in context.list("transaction")]
    return any(c.get("id") == transaction_id for c in captures) or any(
        info.get("transaction_id") == transaction_id for info in infos
    )


def refunds_of(context: AppContext, capture_id: str) -> list[Object]:
    """The refunds of a capture: those whose link `up` names it."""
    return [row for row in context.list("refund") if capture_of(row) == capture_id]


def capture_of(refund: Object) -> str | None:
    up = next((each["href"] for each in refund.get("links", []) if each.get("rel") == "up"), None)
    return refund.get("capture_id") if up is None else str(up).rsplit("/", 1)[-1]


def rest_of(context: AppContext, row: Object) -> Decimal:
    """What of a capture its payer has not got back, by refunds or by a dispute that was accepted."""
    if row.get("status") == "REFUNDED":
        return Decimal(0)
    back = [value_of(refund.get("amount")) for refund in refunds_of(context, row["id"])]
    claims = [value_of(outcome.get("amount_refunded")) for outcome in _outcomes(context, row["id"])]
    return max(value_of(row.get("amount")) - total(back) - total(claims), Decimal(0))


def check_schema(fields: Object) -> None:
    """What the schema wants of a refund.

    Raises:
        PaypalError: 400, for the first field that does not fit.
    """
    money = fields.get("amount")
    if money is not None:
        if len(money["currency_code"]) != 3:
            raise refused(BAD_SYNTAX)
        check_syntax(money["value"])
    if not 1 <= len(fields.get("note_to_payer", "-")) <= _LONGEST_NOTE:
        raise refused(WRONG_LENGTH)


def check_amount(money: Money, row: Object, rest: Decimal) -> None:
    """Whether this much of a capture may be given back.

    Raises:
        PaypalError: 422, for the first rule that is broken.
    """
    value, currency = Decimal(money["value"]), money["currency_code"]
    if value <= 0:
        raise refused(NOT_POSITIVE)
    if currency not in CURRENCIES:
        raise refused(UNKNOWN_CURRENCY)
    check_precision(currency, value)
    if currency != row["amount"]["currency_code"]:
        raise refused(WRONG_CURRENCY)
    if value > rest:
        raise refused(EXCEEDED)


def capture_links(capture_id: str) -> list[Link]:
    address = f"{CAPTURES}/{capture_id}"
    return [link(address), link(f"{address}/refund", "refund", "POST")]


def refund_links(refund_id: str, capture_id: str | None) -> list[Link]:
    up = [] if capture_id is None else [link(f"{CAPTURES}/{capture_id}", "up")]
    return [link(f"{REFUNDS}/{refund_id}"), *up]


def _outcomes(context: AppContext, capture_id: str) -> list[Object]:
    return [
        row["dispute_outcome"]
        for row in context.list("dispute", {"status": "RESOLVED"})
        if "dispute_outcome" in row and concerns(row, capture_id)
    ]
