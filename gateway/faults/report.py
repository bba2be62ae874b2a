"""Report how agents shows_recovery with faults, by kind, over one or several runs: rates with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median

from typing_extensions import TypedDict

from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.ledger import Entry

_Z = 1.959964  # 95 %
_RESAMPLES = 1000


class Rate(TypedDict):
    """A share: count, total, and its 95 % confidence interval (Wilson). None if the total is 0."""

    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


class Time(TypedDict):
    """A median with its 95 % confidence interval (bootstrap); None without values."""

    median: float | None
    low: float | None
    high: float | None


class Line(TypedDict):
    """One kind of fault.

    `hits` are the calls that it hit, `landed` its outages: a fault with a duration counts once, however many calls it hits.
    Shares and times are over outages; times are from an outage's first call to that call's recovery.
    """

    fault: str
    landed: int
    hits: int
    not_landed: int
    recovery: Rate
    flexibility: Rate
    doubled: Rate
    calls_to_recover: Time
    seconds_to_recover: Time


class Report(TypedDict):
    """The kinds that occurred, in the order of the list of faults, and their total.

    `exactly_once` is the share of faults on creating calls that left at most one effect.
    """

    runs: int
    kinds: list[Line]
    all: Line
    exactly_once: Rate


def report(runs: Iterable[list[Entry]]) -> Report:
    """Create the report on the ledgers of some runs."""
    ledgers = list(runs)
    outages = [outage for ledger in ledgers for outage in _outages(ledger)]
    missed = [e for ledger in ledgers for e in ledger if not e["landed"] and e["fault"] is not None]
    kinds = [
        _line(kind, [o for o in outages if o.fault == kind], sum(e["fault"] == kind for e in missed)) for kind in KINDS
    ]
    writes = [o for o in outages if o.writes]
    return Report(
        runs=len(ledgers),
        kinds=[line for line in kinds if line["landed"] or line["not_landed"]],
        all=_line("all", outages, len(missed)),
        exactly_once=rate(sum(o.effects <= 1 for o in writes), len(writes)),
    )


def rate(count: int, of: int) -> Rate:
    """Return a share with its Wilson interval, which is valid for few cases too."""
    if of == 0:
        return Rate(count=0, of=0, rate=None, low=None, high=None)
    low, high = interval(count / of, of)
    return Rate(count=count, of=of, rate=count / of, low=low, high=high)


def interval(share: float, of: int) -> tuple[float, float]:
    """Return Wilson's interval of a share of one or more cases."""
    weight = _Z**2 / of
    centre = (share + weight / 2) / (1 + weight)
    half = _Z * math.sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class _Outage:
    """The calls of one run that one occurrence of a fault hit."""

    hits: list[Entry]

    @property
    def fault(self) -> str | None:
        return self.hits[0]["fault"]

    @property
    def recovered(self) -> bool | None:
        """Whether the agent recovered from each of them; None if unknown."""
        known = [e["recovered"] for e in self.hits if e["recovered"] is not None]
        return all(known) if known else None

    @property
    def flexible(self) -> bool:
        return any(e["flexible"] for e in self.hits)

    @property
    def writes(self) -> bool:
        return any(e["writes"] for e in self.hits)

    @property
    def effects(self) -> int:
        return max(e["effects"] for e in self.hits)


def _outages(ledger: list[Entry]) -> list[_Outage]:
    outages: dict[int, _Outage] = {}
    for entry in ledger:
        if entry["outage"] is not None:
            outages.setdefault(entry["outage"], _Outage([])).hits.append(entry)
    return list(outages.values())


def _line(fault: str, landed: list[_Outage], not_landed: int) -> Line:
    known = [o for o in landed if o.recovered is not None]
    writes = [o for o in landed if o.writes]
    firsts = [o.hits[0] for o in landed]
    return Line(
        fault=fault,
        landed=len(landed),
        hits=sum(len(o.hits) for o in landed),
        not_landed=not_landed,
        recovery=rate(sum(bool(o.recovered) for o in known), len(known)),
        flexibility=rate(sum(o.flexible for o in landed), len(landed)),
        doubled=rate(sum(o.effects > 1 for o in writes), len(writes)),
        calls_to_recover=median_time([e["calls_to_recover"] for e in firsts if e["calls_to_recover"] is not None]),
        seconds_to_recover=median_time(
            [e["seconds_to_recover"] for e in firsts if e["seconds_to_recover"] is not None]
        ),
    )


def median_time(values: Sequence[float]) -> Time:
    """Return the median of some values with its interval, deterministically."""
    if not values:
        return Time(median=None, low=None, high=None)
    random = Random(0)  # noqa: S311 the same report for the same runs
    drawn = sorted(median(random.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return Time(median=median(values), low=drawn[int(0.025 * _RESAMPLES)], high=drawn[int(0.975 * _RESAMPLES) - 1])
