"""Prices of listed companies at a moment: a keyed walk over the days on which a market is open, of which nothing is stored.

A listing has one told close; every other close is so many ten-thousandths away from the one before, drawn from the listing's name
and the day. Within a day a path leads from one close to the next. Prices are whole ten-thousandths of a currency, so that every
machine reckons the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.ids import keyed_digest
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object

UNIT = 10_000
"""Parts of a currency in which prices are told."""

_STEP = 5  # minutes from one point of a day's path to the next
_ANY_DAY = timedelta(days=1)
_FARTHEST = 4000
"""Days of the calendar between the told close and the moment, beyond which prices stand still."""


@dataclass(frozen=True, slots=True)
class Market:
    """When a market is open, in minutes of its own day, and the least by which its prices differ, in units."""

    zone: str
    open: tuple[tuple[int, int], ...]
    tick: int = 100

    @property
    def minutes(self) -> int:
        """How long a day of it is."""
        return sum(end - start for start, end in self.open)

    def gone(self, moment: datetime) -> int:
        """How many minutes of its day it has been open at a moment of its own zone."""
        minute = moment.hour * 60 + moment.minute
        return sum(min(max(minute - start, 0), end - start) for start, end in self.open)


MARKETS: Mapping[str, Market] = {
    "CN_MAINLAND": Market("Asia/Shanghai", ((570, 690), (780, 900))),
    "HK": Market("Asia/Hong_Kong", ((570, 720), (780, 960)), 50),
    "US": Market("America/New_York", ((570, 960),)),
    "LSE": Market("Europe/London", ((480, 990),), 1000),
    "NSE_INDIA": Market("Asia/Kolkata", ((555, 930),), 500),
}


@dataclass(frozen=True, slots=True)
class Quote:
    """A listing at a moment. `last` to `previous` are prices in units; `at` is the last trade's moment, `over` whether its day
    has ended. `cap` is in units too, `volume` in shares.
    """

    last: int
    opened: int
    high: int
    low: int
    average: int
    previous: int
    volume: int
    cap: int
    eps: int
    at: datetime
    over: bool

    @property
    def day(self) -> str:
        """The day of the market, YYYY-MM-DD."""
        return self.at.date().isoformat()

    @property
    def change(self) -> int:
        return self.last - self.previous


def quote(library: Library, listing: Object, now: datetime) -> Quote:
    """A listing of the library's as it stands: that of the last day on which its market has opened."""
    market = MARKETS[listing["market"]]
    closed = library.kept("market holidays", _holidays)[listing["market"]]
    local = now.astimezone(ZoneInfo(market.zone))
    day, gone = local.date(), market.gone(local)
    if not gone or not _trades(day, closed):
        day, gone = next(_days(day, -1, closed)), market.minutes
    told = date.fromisoformat(listing["day"])
    previous, close = _closes(listing["symbol"], listing["price"], listing["previous"], told, day, closed)
    path = _path(f"{listing['market']} {listing['symbol']} {day}", previous, close, market, gone)
    points = [_rounded(point, market.tick) for point in path]
    turnover = _drawn(f"{listing['symbol']} turnover {day}")[0] + 20
    return Quote(
        last=points[-1],
        opened=points[0],
        high=max(points),
        low=min(points),
        average=sum(points) // len(points),
        previous=_rounded(previous, market.tick),
        volume=listing["shares"] * turnover // 40_000 * gone // market.minutes // 100 * 100,
        cap=points[-1] * listing["shares"],
        eps=listing["eps"],
        at=_moment(market, day, gone),
        over=gone == market.minutes,
    )


def _holidays(library: Library) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {market: set() for market in MARKETS}
    for row in library.list("market", "holiday"):
        found[row["market"]].add(row["day"])
    return {market: frozenset(days) for market, days in found.items()}


def _trades(day: date, closed: frozenset[str]) -> bool:
    return day.weekday() < 5 and day.isoformat() not in closed


def _days(start: date, step: int, closed: frozenset[str]) -> Iterator[date]:
    """The days of trading after a day, or before it."""
    day = start
    while True:
        day += step * _ANY_DAY
        if _trades(day, closed):
            yield day


@lru_cache(maxsize=4096)
def _closes(symbol: str, price: int, previous: int, told: date, day: date, closed: frozenset[str]) -> tuple[int, int]:
    """The close before a day and the day's own, from those that are told of another day."""
    if day == told or abs((day - told).days) > _FARTHEST:
        return previous, price
    if day > told:
        before, now = price, price
        for passed in _days(told, 1, closed):
            before, now = now, now * (UNIT + _move(symbol, passed)) // UNIT
            if passed >= day:
                return before, now
    after = previous  # the close of the day before the told one
    for passed in _days(told, -1, closed):
        before = after * UNIT // (UNIT + _move(symbol, passed))
        if passed <= day:
            return before, after
        after = before
    raise AssertionError("days do not end")


def _move(symbol: str, day: date) -> int:
    """By how many ten-thousandths a price changes in a day: mostly less than one in a hundred, three at most."""
    return (sum(_drawn(f"{symbol} {day}")[:4]) - 510) * 3 // 5


def _path(name: str, previous: int, close: int, market: Market, gone: int) -> list[int]:
    """The prices of a day every few minutes, as far as it has gone: from near the close before to its own."""
    noise = _drawn(name) + _drawn(f"{name} later")
    whole = market.minutes
    points = []
    for number, minute in enumerate(range(0, gone + 1, _STEP)):
        away = previous * 40 * (noise[number % len(noise)] - 128) // (128 * UNIT)
        room = min(minute + whole // 8, whole - minute) * 2
        points.append(previous + (close - previous) * minute // whole + away * room // whole)
    return points


def _moment(market: Market, day: date, gone: int) -> datetime:
    """When the market had been open for so many minutes of a day."""
    left = gone
    for start, end in market.open:
        if left <= end - start:
            break
        left -= end - start
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(market.zone))
    return midnight.replace(hour=(start + left) // 60, minute=(start + left) % 60)


def _rounded(price: int, tick: int) -> int:
    return max((price + tick // 2) // tick * tick, tick)


def _drawn(name: str) -> bytes:
    return keyed_digest(0, f"market {name}", 1)
