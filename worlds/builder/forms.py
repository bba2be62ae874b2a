"""The syntax of short notations in traces, and the messages for invalid ones."""

from __future__ import annotations

import re
from typing import Any

# A turn of a conversation: speaker, delay and flags.
TURN = re.compile(r"^(?P<who>[\w.-]+)(?: \+(?P<delay>[\dsmhd]+))?(?P<flags>(?: [a-z]+(?:=[\w/.-]+)?)*)$")
_DELAY = re.compile(r"(\d+)([smhd])")
_UNITS = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

FLOWS = ("replies", "open")
"""Whether the turns of a conversation reply to its first one, or are independent messages."""


class TraceError(ValueError):
    """A trace that says something impossible; the message says what."""


def delay(text: str) -> int:
    """`1h10m` in ms.

    Raises:
        TraceError: for anything else.
    """
    parts = _DELAY.findall(text)
    if "".join(n + u for n, u in parts) != text:
        raise TraceError(f"{text!r} is no delay; write it like 40s, 5m or 1h10m")
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def known(value: Any, *names: str) -> dict[str, Any]:
    """Return the attributes of a trace.

    Raises:
        TraceError: it is not an object, or has an attribute that is not in `names`.
    """
    if not isinstance(value, dict):
        raise TraceError("expected attributes `name: value`")
    for name in value:
        if name not in names:
            raise TraceError(f"{name!r} is not known here; known: {', '.join(names)}")
    return dict(value)


def known_flags(text: str, *names: str) -> dict[str, str]:
    """The flags of a turn: `id=x edited=40s new`."""
    flags = dict(flag.partition("=")[::2] for flag in text.split())
    for name in flags:
        if name not in names:
            raise TraceError(f"{name!r} is no flag that is known here; known: {', '.join(names)}")
    return flags


def needed(value: dict[str, Any], name: str) -> Any:
    """Return a required attribute of a trace.

    Raises:
        TraceError: the attribute is missing.
    """
    if name not in value:
        raise TraceError(f"needs `{name}`")
    return value[name]
