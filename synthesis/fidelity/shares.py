"""Shares with their totals and confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from soundstage.gateway.faults.report import interval


class Share(TypedDict):
    """A share of `n` with its 95 % interval (Wilson); all None if `n` is 0.

    For a mean of shares (key paths) the interval is conservative: no mean varies more than a binary value.
    """

    share: float | None
    n: int
    low: float | None
    high: float | None


def share_of(part: float, n: int) -> Share:
    """`part` of `n`, in which `part` may be a sum of shares."""
    if n == 0:
        return Share(share=None, n=0, low=None, high=None)
    p = part / n
    low, high = interval(p, n)
    return Share(share=p, n=n, low=min(low, p), high=max(high, p))


def share_that(flags: Sequence[bool]) -> Share:
    """The share of those that hold."""
    return share_of(sum(flags), len(flags))
