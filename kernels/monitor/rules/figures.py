"""Varying metrics: pure functions of the session's seed and clock, so two calls at the same time return the same.

A level moves linearly between values that are drawn every few minutes. Counters grow steadily from the machine's boot on.
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
    """Return a metric between two bounds."""
    stretch, within = divmod(to_ms(context.now()), _STRETCH_MS)
    begin, end = (_part(context, f"{name}.{stretch + i}") for i in (0, 1))
    part = begin + (end - begin) * (within / _STRETCH_MS)
    return round(low + (high - low) * part, 6)


def counter(context: AppContext, name: str, a_second: float) -> int:
    """Return a counter since boot that grows by about `a_second` per second."""
    rate = a_second * (0.8 + 0.4 * _part(context, f"{name}.rate"))
    return math.floor(rate * uptime(context))


def boot_time(context: AppContext) -> int:
    """Return the boot time in seconds since 1970: that of the host's row, or some days before the current 30-day period."""
    row = (context.first("host") or {}).get("boot_time")
    if row is not None:
        return int(row)
    month = to_s(context.now()) // _MONTH_S * _MONTH_S
    return month - _LATEST_START_S - context.drawn("boot") % (_EARLIEST_START_S - _LATEST_START_S)


def uptime(context: AppContext) -> int:
    """Return the seconds since boot."""
    return max(0, to_s(context.now()) - boot_time(context))


def single(value: float) -> float:
    """Round a number to Go's float32 and return it as float64."""
    fraction, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(fraction, 24)), exponent - 24)


def as_go(value: float) -> float:
    """Return a float64 as Go's encoding/json writes it: whole numbers without a decimal point."""
    return int(value) if float(value).is_integer() else value


def formatted(seconds: int) -> str:
    """Format a time in RFC 3339, in UTC."""
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%dT%H:%M:%SZ}"


def _part(context: AppContext, name: str) -> float:
    return context.drawn(name) % _STEPS / _STEPS
