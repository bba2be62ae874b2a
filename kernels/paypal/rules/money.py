"""Money: decimal texts with a currency, and PayPal's rules for both.

Sources: https://developer.paypal.com/api/rest/reference/currency-codes/ (25 currencies, three without decimals);
`money` in checkout_orders_v2.json and payments_payment_v2.json; `round` of mathjs 14.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TypedDict

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import number_text
from soundstage.kernels.paypal.rules.errors import BAD_SYNTAX, NO_DECIMALS, TOO_MUCH, TOO_PRECISE, issue_error

WITHOUT_DECIMALS = frozenset({"HUF", "JPY", "TWD"})
CURRENCIES = WITHOUT_DECIMALS | {
    *("AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "ILS"),
    *("MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RUB", "SEK", "SGD", "THB", "USD"),
}
_VALUE = re.compile(r"-?[0-9]+|-?[0-9]*[.][0-9]+")
_LONGEST_VALUE = 32
_DECIMALS = 2
_NO_FRACTIONS = 10**15  # from here on a double cannot represent cents
_MOST = Decimal("999999999999999.99")
_CENT = Decimal("0.01")
_LONG = Context(prec=100)  # enough digits for any amount in a state
_DIGITS = Decimal("1e-12")  # mathjs compares 12 digits (relTol)


class Money(TypedDict):
    """An amount of money as PayPal's APIs write it."""

    currency_code: str
    value: str


def amount(currency: str, value: Decimal) -> Money:
    """Format an amount as PayPal does: two decimals, or none if the currency has none."""
    step = Decimal(1) if currency in WITHOUT_DECIMALS else _CENT
    return {"currency_code": currency, "value": f"{value.quantize(step, ROUND_HALF_UP, _LONG):f}"}


def value_of(money: Money | Object | None) -> Decimal:
    """Return the value of an amount, or zero if it is not a number."""
    text = str(money.get("value")) if money else ""
    return Decimal(text) if len(text) <= _LONGEST_VALUE and _VALUE.fullmatch(text) else Decimal(0)


def check_syntax(value: str) -> Decimal:
    """Return the number in a text that matches PayPal's schema.

    Raises:
        PaypalError: The text is not a decimal number, or is longer than 32 characters.
    """
    if len(value) > _LONGEST_VALUE or not _VALUE.fullmatch(value):
        raise issue_error(BAD_SYNTAX)
    return Decimal(value)


def check_precision(currency: str, value: Decimal) -> None:
    """Check that a currency allows this many decimals and this large a value.

    Raises:
        PaypalError: The value has more decimals than the currency, or exceeds PayPal's maximum.
    """
    decimals = -int(value.as_tuple().exponent)
    if currency in WITHOUT_DECIMALS and decimals > 0:
        raise issue_error(NO_DECIMALS)
    if decimals > _DECIMALS:
        raise issue_error(TOO_PRECISE)
    if abs(value) > _MOST:
        raise issue_error(TOO_MUCH)


def total(values: Iterable[Decimal]) -> Decimal:
    """Return the sum of decimal values."""
    return sum(values, Decimal(0))


def rounded_text(value: float) -> str:
    """Format `round(value, 2).toString()` of mathjs.

    Halves round away from zero, after the representation error of the binary fraction is removed.
    """
    if not math.isfinite(value) or abs(value) >= _NO_FRACTIONS:
        return number_text(value)
    exact = Decimal(repr(float(value)))
    near = exact.quantize(_DIGITS, ROUND_HALF_UP)
    tolerance = max(abs(near), abs(exact)) * _DIGITS
    chosen = near if abs(near - exact) <= max(tolerance, Decimal("1e-15")) else exact
    return number_text(float(chosen.quantize(_CENT, ROUND_HALF_UP)))
