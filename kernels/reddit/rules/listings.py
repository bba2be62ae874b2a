"""Listings of posts and comments: orders, time windows and pages.

Reddit's orders are those of `soundstage.kernels.engines.social.ranking`; equal items stay in the order of their
creation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.social import ranking
from soundstage.kernels.reddit.rules.things import Comment, Post

_DAY = 86_400
_WINDOWS = {"hour": 3_600, "day": _DAY, "week": 7 * _DAY, "month": 30 * _DAY, "year": 365 * _DAY}
"""In seconds; `all` is unlimited."""
_TIMED = frozenset({"top", "controversial"})
_DEFAULT_LIMIT = 25

Thing = TypeVar("Thing", Post, Comment)
Item = TypeVar("Item", Post, Comment, Post | Comment)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A page of a listing; `after` is the fullname that the next page starts after, or None on the last page."""

    items: list[Item]
    after: str | None


def created(thing: Post | Comment) -> float:
    """Return the second at which a post or comment was created."""
    return thing.created_utc or 0.0


def score(thing: Post | Comment) -> int:
    """Return the score, or 0 if it is unknown."""
    return thing.score or 0


def hotness(thing: Post | Comment) -> float:
    """Return the value of the order `hot`, which also applies to comments."""
    return ranking.hot(score(thing), created(thing))


def _rising(thing: Post | Comment) -> float:
    return ranking.rising(score(thing), created(thing))


def _controversy(thing: Post | Comment) -> float:
    if isinstance(thing, Comment):
        return ranking.controversy(*thing.votes)
    ratio = 1.0 if thing.upvote_ratio is None else thing.upvote_ratio
    return ranking.controversy(*ranking.estimated_votes(score(thing), ratio))


_ORDERS: dict[str, Callable[[Post | Comment], float]] = {
    "new": created,
    "top": score,
    "hot": hotness,
    "rising": _rising,
    "controversial": _controversy,
}


def sort_things(context: AppContext, things: Sequence[Thing], sort: str, time: str) -> list[Thing]:
    """Sort a listing in one of Reddit's orders, highest first; `time` applies only to top and controversial."""
    within = in_window(context, things, time) if sort in _TIMED else things
    return sorted(within, key=_ORDERS[sort], reverse=True)


def in_window(context: AppContext, things: Sequence[Thing], time: str) -> list[Thing]:
    """Return what was posted within the last hour, day, week, month (30 days) or year (365 days).

    A site without any post in the last year is a recording without a clock. The Reddit of the recording ignored windows
    (get_top_posts of last week's posts, recorded a year later), so the listing is complete.
    """
    seconds = _WINDOWS.get(time)
    now = context.now().timestamp()
    if seconds is None or context.count("post", {"created_utc >=": now - _WINDOWS["year"]}) == 0:
        return list(things)
    return [thing for thing in things if created(thing) >= now - seconds]


def page(items: Sequence[Item], limit: float, after: str | None) -> Page[Item]:
    """Return up to `limit` items after the one named `after`, or from the first on if no item has that name.

    Reddit ignores a limit that is not whole and uses its default (VLimit in `r2/r2/lib/validator/validator.py`).
    """
    size = int(limit) if limit == int(limit) else _DEFAULT_LIMIT
    names = [item.fullname for item in items]
    start = names.index(after) + 1 if after in names else 0
    shown = list(items[start : start + size])
    return Page(shown, shown[-1].fullname if shown and start + size < len(items) else None)
