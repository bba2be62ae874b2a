"""Strings in a call's arguments may be as long as the tool declares: `Tool.longest_string`."""

from __future__ import annotations

from typing import Any

import orjson

from soundstage.servers.faults import Hit, said
from soundstage.servers.reply import Answer


def is_too_long(value: Any, limit: int) -> bool:
    """Return whether a string in a JSON value, or the name of a member, is longer than `limit`."""
    # JSON has at least one byte per character, and serializing is faster than visiting each string.
    return len(orjson.dumps(value)) > limit and _has_long_string(value, limit)


def _has_long_string(value: Any, limit: int) -> bool:
    if isinstance(value, str):
        return len(value) > limit
    if isinstance(value, dict):
        return any(len(name) > limit or _has_long_string(item, limit) for name, item in value.items())
    return isinstance(value, list) and any(_has_long_string(item, limit) for item in value)


def too_large(hit: Hit) -> Answer:
    """Return the refusal of a request that is too large, in the app's envelope for errors of its HTTP client."""
    return said(hit, "Error: 413 Payload Too Large", "limit")
