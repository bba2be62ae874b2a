"""How Reddit weighs posts and comments by their votes and their age.

Formulas of the public source of reddit.com, `r2/r2/lib/db/_sorts.pyx` in https://github.com/reddit-archive/reddit. Times are
seconds since 1970, votes whole numbers.
"""

from __future__ import annotations

import math

_LAUNCH = 1134028003
"""The second from which Reddit counts a post's age, in December 2005."""
_TENFOLD = 45000
"""Seconds by which a post has to be younger to make up for a tenth of the score: twelve and a half hours."""
_EIGHTY_PERCENT = 1.281551565545


def hot(score: int, created: float) -> float:
    """Order `hot`: the score's magnitude, and the time of posting. It does not sink with time; younger posts rise above it."""
    sign = (score > 0) - (score < 0)
    return round(sign * math.log10(max(abs(score), 1)) + (created - _LAUNCH) / _TENFOLD, 7)


def rising(score: int, created: float) -> float:
    """Order `rising`. The real one counts page views (`r2/r2/lib/rising.py`), which nobody is told: it is taken as `hot`."""
    return hot(score, created)


def controversy(ups: float, downs: float) -> float:
    """Order `controversial`: many votes, as even as can be. Without votes for one of the sides, 0."""
    if ups <= 0 or downs <= 0:
        return 0.0
    balance = downs / ups if ups > downs else ups / downs
    return float((ups + downs) ** balance)


def confidence(ups: int, downs: int) -> float:
    """Order `best`: the share of votes in favour that is exceeded with 80 % confidence (the lower bound of Wilson's interval)."""
    votes = ups + downs
    if votes == 0:
        return 0.0
    z, share = _EIGHTY_PERCENT, ups / votes
    left = share + z * z / (2 * votes)
    right = z * math.sqrt(share * (1 - share) / votes + z * z / (4 * votes * votes))
    return (left - right) / (1 + z * z / votes)


def estimated_votes(score: int, upvote_ratio: float) -> tuple[float, float]:
    """Votes for and against, from what Reddit tells: their difference, and the share of those in favour.

    An even share says nothing about how many there were; neither does a share that the score contradicts. Then every point of
    the score is a vote.
    """
    if upvote_ratio != 0.5:
        ups = score * upvote_ratio / (2 * upvote_ratio - 1)
        if ups >= 0 and ups - score >= 0:
            return ups, ups - score
    return (float(score), 0.0) if score >= 0 else (0.0, float(-score))
