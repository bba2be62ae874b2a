"""How agents coped with faults, per kind, over one or several runs: rates with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from random import Random
from statistics import median
from typing import TypedDict

from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.ledger import Entry

_Z = 1.959964  # 95 %
_RESAMPLES = 1000


class Rate(TypedDict):
    """A share: how many of how many, and its 95 % confidence interval (Wilson). None where there is nothing to count."""

    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


class Time(TypedDict):
    """A median with its 95 % confidence interval (bootstrap); None where there is nothing to measure."""

    median: float | None
    low: float | None
    high: float | None


class Line(TypedDict):
    """One kind of fault. `hits` are the calls that it struck, `landed` its events; times are from the fault to recovery."""

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
    """The kinds that occurred, in the order of the list of faults, and all of them together. `exactly_once` is the share
    of faults on creating calls that left one effect or none.
    """

    runs: int
    kinds: list[Line]
    all: Line
    exactly_once: Rate


def report(runs: Iterable[list[Entry]]) -> Report:
    """The report on the ledgers of some runs."""
    ledgers = list(runs)
    entries = [e for ledger in ledgers for e in ledger]
    kinds = [_line(kind, [e for e in entries if e["fault"] == kind]) for kind in KINDS]
    writes = [e for e in entries if e["landed"] and e["writes"]]
    return Report(
        runs=len(ledgers),
        kinds=[line for line in kinds if line["landed"] or line["not_landed"]],
        all=_line("all", [e for e in entries if e["fault"] is not None]),
        exactly_once=rate(sum(e["effects"] <= 1 for e in writes), len(writes)),
    )


def rate(count: int, of: int) -> Rate:
    """A share with its Wilson interval, which holds for few cases too."""
    if of == 0:
        return Rate(count=0, of=0, rate=None, low=None, high=None)
    share, weight = count / of, _Z**2 / of
    centre = (share + weight / 2) / (1 + weight)
    half = _Z * math.sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return Rate(count=count, of=of, rate=share, low=max(0.0, centre - half), high=min(1.0, centre + half))


def _line(fault: str, entries: list[Entry]) -> Line:
    landed = [e for e in entries if e["landed"]]
    known = [e for e in landed if e["recovered"] is not None]
    writes = [e for e in landed if e["writes"]]
    return Line(
        fault=fault,
        landed=len(landed),
        hits=sum(e["hits"] for e in landed),
        not_landed=len(entries) - len(landed),
        recovery=rate(sum(bool(e["recovered"]) for e in known), len(known)),
        flexibility=rate(sum(e["flexible"] for e in landed), len(landed)),
        doubled=rate(sum(e["doubled"] for e in writes), len(writes)),
        calls_to_recover=_time([e["calls_to_recover"] for e in landed if e["calls_to_recover"] is not None]),
        seconds_to_recover=_time([e["seconds_to_recover"] for e in landed if e["seconds_to_recover"] is not None]),
    )


def _time(values: list[int] | list[float]) -> Time:
    if not values:
        return Time(median=None, low=None, high=None)
    random = Random(0)  # noqa: S311 the same report for the same runs
    drawn = sorted(median(random.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return Time(median=median(values), low=drawn[int(0.025 * _RESAMPLES)], high=drawn[int(0.975 * _RESAMPLES) - 1])
