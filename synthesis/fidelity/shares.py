"""Shares with what they are taken of, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from soundstage.gateway.faults.report import interval


class Share(TypedDict):
    """A share of `n`, with the bounds between which the true one lies in 95 of 100 cases (Wilson's interval). All are None where
    `n` is 0.

    Of a mean of shares (key paths) the bounds are wider than they need be: no mean varies more than yes and no.
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


def share_that(found: Sequence[bool]) -> Share:
    """The share of those that hold."""
    return share_of(sum(found), len(found))
