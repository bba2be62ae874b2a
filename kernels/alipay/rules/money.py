"""Sums of yuan, with two places."""

from __future__ import annotations

from decimal import Decimal

from soundstage.kernels.engines.javascript import number

_MOST = 1e18


def cents(amount: float) -> int | None:
    """A sum in cents; None where it has parts of them."""
    exact = Decimal(repr(kept(amount))) * 100
    return int(exact) if exact == exact.to_integral_value() else None


def kept(amount: float) -> float:
    """A sum as rows hold it; what is beyond all money is as much as JSON and SQLite both can tell."""
    return min(float(number(amount)), _MOST)


def shown(amount: int) -> str:
    """Cents as Alipay writes yuan: 12.50."""
    return f"{amount // 100}.{amount % 100:02}"
