"""Reddit's ranking of posts and comments by votes and age.

The formulas are those of reddit.com's public source, `r2/r2/lib/db/_sorts.pyx` in https://github.com/reddit-archive/reddit.
Times are seconds since 1970, votes are integers.
"""

from __future__ import annotations

import math

_LAUNCH = 1134028003
"""Epoch of the `hot` ranking, in December 2005."""
_TENFOLD = 45000
"""Seconds by which a post must be younger to outrank ten times its score: 12.5 hours."""
_EIGHTY_PERCENT = 1.281551565545


def hot(score: int, created: float) -> float:
    """Rank by `hot`: the score's magnitude plus the time of posting. It never decays; younger posts rise above it."""
    sign = (score > 0) - (score < 0)
    return round(sign * math.log10(max(abs(score), 1)) + (created - _LAUNCH) / _TENFOLD, 7)


def rising(score: int, created: float) -> float:
    """Rank by `rising`. The original counts page views (`r2/r2/lib/rising.py`), which are not public, so this is `hot`."""
    return hot(score, created)


def controversy(ups: float, downs: float) -> float:
    """Rank by `controversial`: many votes, evenly divided. The rank is 0 if one side has no votes."""
    if ups <= 0 or downs <= 0:
        return 0.0
    balance = downs / ups if ups > downs else ups / downs
    return float((ups + downs) ** balance)


def confidence(ups: int, downs: int) -> float:
    """Rank by `best`: the share of upvotes that is exceeded with 80 % confidence (lower bound of Wilson's interval)."""
    votes = ups + downs
    if votes == 0:
        return 0.0
    z, share = _EIGHTY_PERCENT, ups / votes
    left = share + z * z / (2 * votes)
    right = z * math.sqrt(share * (1 - share) / votes + z * z / (4 * votes * votes))
    return (left - right) / (1 + z * z / votes)


def estimated_votes(score: int, upvote_ratio: float) -> tuple[float, float]:
    """Estimate upvotes and downvotes from the score and the share of upvotes that Reddit publishes.

    A share of 0.5 does not determine the number of votes, and a share may contradict the score. Each point of the score then
    counts as one vote.
    """
    if upvote_ratio != 0.5:
        ups = score * upvote_ratio / (2 * upvote_ratio - 1)
        if ups >= 0 and ups - score >= 0:
            return ups, ups - score
    return (float(score), 0.0) if score >= 0 else (0.0, float(-score))
