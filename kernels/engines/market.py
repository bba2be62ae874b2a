"""Share prices at a given time: a keyed random walk over trading days, computed without stored prices.

The library states one closing price per listing. Every other close differs from the previous one by some ten-thousandths that
are derived from the listing's symbol and the day. Within a day, a path leads from one close to the next. Prices are whole
ten-thousandths of a currency unit, so that every machine computes the same values.
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
"""Price units per unit of currency."""

_STEP = 5  # minutes between two points of a day's path
_ANY_DAY = timedelta(days=1)
_FARTHEST = 4000
"""Calendar days around the stated close beyond which prices no longer move."""


@dataclass(frozen=True, slots=True)
class Market:
    """A market's trading hours in minutes of its local day, and its tick size in price units."""

    zone: str
    open: tuple[tuple[int, int], ...]
    tick: int = 100

    @property
    def minutes(self) -> int:
        """Return the number of trading minutes in a day."""
        return sum(end - start for start, end in self.open)

    def gone(self, moment: datetime) -> int:
        """Return how many minutes the market has been open at a given local time."""
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
    """A listing's prices at a given time.

    `last` to `previous` and `cap` are in price units, `volume` is in shares. `at` is the time of the last trade, and `over` is
    true after the end of the trading day.
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
        """Return the trading day as YYYY-MM-DD."""
        return self.at.date().isoformat()

    @property
    def change(self) -> int:
        """Return the difference to the previous close, in price units."""
        return self.last - self.previous


def quote(library: Library, listing: Object, now: datetime) -> Quote:
    """Return the quote of a listing of the library on the latest day on which its market has opened."""
    market = MARKETS[listing["market"]]
    closed = library.cached("market holidays", _holidays)[listing["market"]]
    local = now.astimezone(ZoneInfo(market.zone))
    day, gone = local.date(), market.gone(local)
    if not gone or not _trades(day, closed):
        day, gone = next(_days(day, -1, closed)), market.minutes
    stated_day = date.fromisoformat(listing["day"])
    previous, close = _closes(listing["symbol"], listing["price"], listing["previous"], stated_day, day, closed)
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
    result: dict[str, set[str]] = {market: set() for market in MARKETS}
    for row in library.list("market", "holiday"):
        result[row["market"]].add(row["day"])
    return {market: frozenset(days) for market, days in result.items()}


def _trades(day: date, closed: frozenset[str]) -> bool:
    return day.weekday() < 5 and day.isoformat() not in closed


def _days(start: date, step: int, closed: frozenset[str]) -> Iterator[date]:
    """Yield the trading days after `start`, or before it for a negative step."""
    day = start
    while True:
        day += step * _ANY_DAY
        if _trades(day, closed):
            yield day


@lru_cache(maxsize=4096)
def _closes(symbol: str, price: int, previous: int, stated: date, day: date, closed: frozenset[str]) -> tuple[int, int]:
    """Return the close before `day` and the close of `day`, computed from the closes that the library states."""
    if day == stated or abs((day - stated).days) > _FARTHEST:
        return previous, price
    if day > stated:
        before, now = price, price
        for passed in _days(stated, 1, closed):
            before, now = now, now * (UNIT + _move(symbol, passed)) // UNIT
            if passed >= day:
                return before, now
    after = previous  # the close of the day before the stated one
    for passed in _days(stated, -1, closed):
        before = after * UNIT // (UNIT + _move(symbol, passed))
        if passed <= day:
            return before, after
        after = before
    raise AssertionError("days do not end")


def _move(symbol: str, day: date) -> int:
    """Return a day's price change in ten-thousandths: usually less than 1 %, at most 3 %."""
    return (sum(_drawn(f"{symbol} {day}")[:4]) - 510) * 3 // 5


def _path(name: str, previous: int, close: int, market: Market, gone: int) -> list[int]:
    """Return the prices of a day every five minutes up to now, from about the previous close to the day's close."""
    noise = _drawn(name) + _drawn(f"{name} later")
    whole = market.minutes
    points = []
    for number, minute in enumerate(range(0, gone + 1, _STEP)):
        away = previous * 40 * (noise[number % len(noise)] - 128) // (128 * UNIT)
        room = min(minute + whole // 8, whole - minute) * 2
        points.append(previous + (close - previous) * minute // whole + away * room // whole)
    return points


def _moment(market: Market, day: date, gone: int) -> datetime:
    """Return the time at which the market has been open for `gone` minutes."""
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
