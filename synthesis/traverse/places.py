"""Places in JSON, such as `$.items[0].name`: read, replace or delete a value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any


def walk_scalars(value: Any, above: str = "$") -> Iterator[tuple[str, Any]]:
    """Yield the places of all scalars of a value, such as `$.items[0].name`, with their values."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from walk_scalars(
                item, f"{above}.{name}" if _PLAIN.fullmatch(name) else f"{above}[{json.dumps(name)}]"
            )
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from walk_scalars(item, f"{above}[{i}]")
    else:
        yield above, value


_PLAIN = re.compile(r"[A-Za-z_][\w-]*")
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]")


def steps_of(path: str) -> list[str | int]:
    """Split a place of `walk_scalars` into keys and indices."""
    return [name or (int(number) if number else json.loads(quoted)) for name, number, quoted in _STEP.findall(path[1:])]


def at_path(value: Any, path: str) -> Any:
    """Return the value at a place of `walk_scalars`.

    Raises:
        LookupError: The place does not exist.
    """
    for step in steps_of(path):
        if isinstance(value, dict) != isinstance(step, str):
            raise LookupError(path)
        value = value[step]
    return value


def put_at(value: Any, path: str, new: Any) -> Any:
    """Return a copy of a value with another value at a place."""
    return _put(value, steps_of(path), new)


def _put(value: Any, steps: list[str | int], new: Any) -> Any:
    if not steps:
        return new
    first, *rest = steps
    if isinstance(value, dict):
        return {**value, first: _put(value.get(first), rest, new)}
    assert isinstance(value, list)
    assert isinstance(first, int)
    return [_put(item, rest, new) if i == first else item for i, item in enumerate(value)]


def remove_at(arguments: Any, place: str) -> Any:
    """Return the arguments without the value at a place."""
    *above, last = steps_of(place)

    def without(value: Any, steps: list[str | int]) -> Any:
        if not steps:
            return {k: v for k, v in value.items() if k != last}
        first, *rest = steps
        if isinstance(value, dict):
            return {**value, first: without(value[first], rest)}
        return [without(item, rest) if i == first else item for i, item in enumerate(value)]

    return without(arguments, above)


def without_indices(path: str) -> str:
    """Return a place with `*` for every list index."""
    return re.sub(r"\[\d+\]", "[*]", path)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return JSON with each of its texts changed; keys are unchanged."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(item, change) for item in value]
    return {name: map_texts(item, change) for name, item in value.items()} if isinstance(value, dict) else value
