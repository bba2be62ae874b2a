"""Figures that move: pure functions of the session's seed and clock, so that two calls at the same moment tell the same.

Between two draws, one every few minutes, a level goes in a straight line. Counters grow steadily from the moment the machine
was started.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms, to_s

_STRETCH_MS = 300_000
_STEPS = 10**6
_MONTH_S = 30 * 86400
_LATEST_START_S = 86400
_EARLIEST_START_S = 12 * 86400


def level(context: AppContext, name: str, low: float, high: float) -> float:
    """A figure between two bounds."""
    stretch, within = divmod(to_ms(context.now()), _STRETCH_MS)
    begin, end = (_part(context, f"{name}.{stretch + i}") for i in (0, 1))
    part = begin + (end - begin) * (within / _STRETCH_MS)
    return round(low + (high - low) * part, 6)


def counter(context: AppContext, name: str, a_second: float) -> int:
    """What has come together since the start, at about so much a second."""
    rate = a_second * (0.8 + 0.4 * _part(context, f"{name}.rate"))
    return math.floor(rate * uptime(context))


def boot_time(context: AppContext) -> int:
    """When the machine was started, in seconds since 1970: as its row says, or some days before the thirty that we are in."""
    told = (context.first("host") or {}).get("boot_time")
    if told is not None:
        return int(told)
    month = to_s(context.now()) // _MONTH_S * _MONTH_S
    return month - _LATEST_START_S - context.drawn("boot") % (_EARLIEST_START_S - _LATEST_START_S)


def uptime(context: AppContext) -> int:
    """Seconds since the start."""
    return max(0, to_s(context.now()) - boot_time(context))


def single(value: float) -> float:
    """A number as Go's float32 has it, told as a float64."""
    fraction, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(fraction, 24)), exponent - 24)


def as_go(value: float) -> float:
    """A float64 as Go's encoding/json writes it: a whole one without a point."""
    return int(value) if float(value).is_integer() else value


def formatted(seconds: int) -> str:
    """A moment in RFC 3339, in UTC."""
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%dT%H:%M:%SZ}"


def _part(context: AppContext, name: str) -> float:
    return context.drawn(name) % _STEPS / _STEPS
