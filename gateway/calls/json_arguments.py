"""Normalize arguments to plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.kernels.types import Arguments

MAX_NESTING = 200


class NestedTooDeeply(ValueError):
    """Arguments that cannot be represented as JSON. Like a body that does not parse, they are not recorded as a call."""

    def __init__(self) -> None:
        super().__init__(f"the arguments are nested too deeply; at most {MAX_NESTING} levels are taken")


def normalize_arguments(arguments: Mapping[str, Any]) -> Arguments:
    """Return a copy of the arguments with JSON values only.

    Parsers accept values that JSON and SQLite do not have. They are converted as in JavaScript: lone surrogates to U+FFFD,
    integers beyond 64 bits to floats, NaN and infinities to null.

    Raises:
        NestedTooDeeply: the arguments are nested too deeply.
    """
    try:
        return orjson.loads(orjson.dumps(arguments))  # type: ignore[no-any-return]
    except (orjson.JSONEncodeError, orjson.JSONDecodeError):
        pass
    try:
        return orjson.loads(orjson.dumps(_normalize(arguments, 0)))  # type: ignore[no-any-return]
    except (orjson.JSONEncodeError, orjson.JSONDecodeError, RecursionError):
        raise NestedTooDeeply from None


def _normalize(value: Any, depth: int) -> Any:
    if depth > MAX_NESTING:
        raise RecursionError
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return value
        return float(value) if abs(value) < 10**308 else None
    if isinstance(value, Mapping):
        return {_normalize(str(k), depth): _normalize(v, depth + 1) for k, v in value.items()}
    return [_normalize(item, depth + 1) for item in value]
