"""Amounts in yuan with two decimals."""

from __future__ import annotations

from decimal import Decimal

from soundstage.kernels.engines.javascript import number

_MOST = 1e18


def cents(amount: float) -> int | None:
    """Return an amount in cents, or None if it has more than two decimals."""
    exact = Decimal(repr(storable_amount(amount))) * 100
    return int(exact) if exact == exact.to_integral_value() else None


def storable_amount(amount: float) -> float:
    """Return an amount as stored in rows, limited to the range that JSON and SQLite can both represent."""
    return min(float(number(amount)), _MOST)


def shown(amount: int) -> str:
    """Format cents as yuan: 12.50."""
    return f"{amount // 100}.{amount % 100:02}"
