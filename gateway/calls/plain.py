"""Arguments as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.kernels.types import Arguments

MAX_NESTING = 200


class NestedTooDeeply(ValueError):
    """Arguments that are no plain JSON any more; like a body that does not parse, they are no call to record."""

    def __init__(self) -> None:
        super().__init__(f"the arguments are nested too deeply; at most {MAX_NESTING} levels are taken")


def plain_json(arguments: Mapping[str, Any]) -> Arguments:
    """Arguments as JSON has them, apart from the caller's objects.

    JSON parsers let through what JSON and SQLite do not have; they become what JavaScript makes of them: lone
    surrogates U+FFFD, integers beyond 64 bits floats, NaN and infinities null.

    Raises:
        NestedTooDeeply: for such arguments.
    """
    try:
        return orjson.loads(orjson.dumps(arguments))  # type: ignore[no-any-return]
    except (orjson.JSONEncodeError, orjson.JSONDecodeError):
        pass
    try:
        return orjson.loads(orjson.dumps(_clean(arguments, 0)))  # type: ignore[no-any-return]
    except (orjson.JSONEncodeError, orjson.JSONDecodeError, RecursionError):
        raise NestedTooDeeply from None


def _clean(value: Any, depth: int) -> Any:
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
        return {_clean(str(k), depth): _clean(v, depth + 1) for k, v in value.items()}
    return [_clean(item, depth + 1) for item in value]
