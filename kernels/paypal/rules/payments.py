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
    issue_error,
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
    """Return a captured payment.

    Raises:
        PaypalError: No capture has this id.
    """
    row = context.get("capture", capture_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    return row


def is_payment(context: AppContext, transaction_id: str) -> bool:
    """Return whether the merchant ever had a payment with this id, including captures that only an order mentions."""
    if context.get("capture", transaction_id) is not None:
        return True
    units = [unit for row in context.list("order") for unit in row.get("purchase_units", [])]
    captures = [capture for unit in units for capture in unit.get("payments", {}).get("captures", [])]
    infos = [row.get("transaction_info", {}) for row in context.list("transaction")]
    return any(c.get("id") == transaction_id for c in captures) or any(
        info.get("transaction_id") == transaction_id for info in infos
    )


def refunds_of(context: AppContext, capture_id: str) -> list[Object]:
    """Return the refunds whose `up` link names a capture."""
    return [row for row in context.list("refund") if capture_of(row) == capture_id]


def capture_of(refund: Object) -> str | None:
    """Return the id of the capture that a refund belongs to."""
    up = next((each["href"] for each in refund.get("links", []) if each.get("rel") == "up"), None)
    return refund.get("capture_id") if up is None else str(up).rsplit("/", 1)[-1]


def rest_of(context: AppContext, row: Object) -> Decimal:
    """Return the amount of a capture that neither refunds nor accepted disputes have given back."""
    if row.get("status") == "REFUNDED":
        return Decimal(0)
    back = [value_of(refund.get("amount")) for refund in refunds_of(context, row["id"])]
    claims = [value_of(outcome.get("amount_refunded")) for outcome in _outcomes(context, row["id"])]
    return max(value_of(row.get("amount")) - total(back) - total(claims), Decimal(0))


def check_schema(fields: Object) -> None:
    """Validate a refund against PayPal's schema.

    Raises:
        PaypalError: 400, for the first invalid field.
    """
    money = fields.get("amount")
    if money is not None:
        if len(money["currency_code"]) != 3:
            raise issue_error(BAD_SYNTAX)
        check_syntax(money["value"])
    if not 1 <= len(fields.get("note_to_payer", "-")) <= _LONGEST_NOTE:
        raise issue_error(WRONG_LENGTH)


def check_amount(money: Money, row: Object, rest: Decimal) -> None:
    """Check that an amount of a capture may be refunded.

    Raises:
        PaypalError: 422, for the first violated rule.
    """
    value, currency = Decimal(money["value"]), money["currency_code"]
    if value <= 0:
        raise issue_error(NOT_POSITIVE)
    if currency not in CURRENCIES:
        raise issue_error(UNKNOWN_CURRENCY)
    check_precision(currency, value)
    if currency != row["amount"]["currency_code"]:
        raise issue_error(WRONG_CURRENCY)
    if value > rest:
        raise issue_error(EXCEEDED)


def capture_links(capture_id: str) -> list[Link]:
    """Return the links of a capture."""
    address = f"{CAPTURES}/{capture_id}"
    return [link(address), link(f"{address}/refund", "refund", "POST")]


def refund_links(refund_id: str, capture_id: str | None) -> list[Link]:
    """Return the links of a refund, with that of its capture if it is known."""
    up = [] if capture_id is None else [link(f"{CAPTURES}/{capture_id}", "up")]
    return [link(f"{REFUNDS}/{refund_id}"), *up]


def _outcomes(context: AppContext, capture_id: str) -> list[Object]:
    return [
        row["dispute_outcome"]
        for row in context.list("dispute", {"status": "RESOLVED"})
        if "dispute_outcome" in row and concerns(row, capture_id)
    ]
