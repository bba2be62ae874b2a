"""Pages of a list, as PayPal's APIs count them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from soundstage.kernels.paypal.rules.errors import BAD_VALUE, issue_error

Row = TypeVar("Row")


def page_of(rows: Sequence[Row], page: float, page_size: float) -> Sequence[Row]:
    """Return one page of a list, empty after the last one.

    Raises:
        PaypalError: A number is not whole; the toolkit accepts such numbers.
    """
    if page != int(page) or page_size != int(page_size):
        raise issue_error(BAD_VALUE)
    start = (int(page) - 1) * int(page_size)
    return rows[start : start + int(page_size)]


def totals(rows: Sequence[Any], page_size: float) -> dict[str, int]:
    """Return `total_items` and `total_pages` of a list."""
    return {"total_items": len(rows), "total_pages": -(-len(rows) // int(page_size))}
