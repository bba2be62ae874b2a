"""Transform the arguments of calls (swap, shift in time, miscount), and generate new ones from a schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from soundstage.grading.lint.oracle_run import Texts

Path = tuple[str | int, ...]

_EPOCH = re.compile(r"1[6-9]\d{8}(?:\d{3})?")
_ISO = re.compile(r"20\d{2}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?")


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every scalar and empty value with its path."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    else:
        yield path, value


def put(holder: Any, path: Path, value: Any) -> Any:
    """Return the arguments with another value at a path."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(holder, list):
        return [put(v, rest, value) if i == head else v for i, v in enumerate(holder)]
    return {**holder, str(head): put(holder[str(head)], rest, value)}


def swapped(value: Any, texts: Texts) -> Any:
    """Return the arguments with each right text replaced by the wrong one."""
    if isinstance(value, dict):
        return {k: swapped(v, texts) for k, v in value.items()}
    if isinstance(value, list):
        return [swapped(v, texts) for v in value]
    if isinstance(value, str):
        for right in sorted(texts, key=len, reverse=True):
            if right in value:
                return value.replace(right, texts[right])
    return value


def is_time(value: Any) -> bool:
    """Whether a value is a time in an app's format: epoch seconds or milliseconds, ISO 8601."""
    if isinstance(value, bool):
        return False
    if isinstance(value, str | int) and _EPOCH.fullmatch(str(value)):
        return True
    return isinstance(value, str) and _ISO.fullmatch(value) is not None


def later(value: Any, seconds: int) -> Any:
    """Shift a time by some seconds in its own format; a day is shifted by whole days."""
    text = str(value)
    if _EPOCH.fullmatch(text):
        shifted = int(text) + seconds * (1000 if len(text) == 13 else 1)
        return str(shifted) if isinstance(value, str) else shifted
    moved = datetime.fromisoformat(text.replace("Z", "+00:00")) + timedelta(seconds=seconds)
    if len(text) == 10:
        return moved.date().isoformat()
    written = moved.isoformat(
        sep=text[10], timespec="seconds" if text.count(":") > 1 + (text[-3] == ":") else "minutes"
    )
    return written.replace("+00:00", "Z") if text.endswith("Z") else written


def all_later(value: Any, seconds: int) -> Any:
    """Return the arguments with every time shifted by some seconds."""
    for path, leaf in list(leaves(value)):
        if is_time(leaf):
            value = put(value, path, later(leaf, seconds))
    return value


def exchanged(value: Any) -> Any | None:
    """Return the arguments with their first two times exchanged; None if there are fewer than two."""
    times = [(path, leaf) for path, leaf in leaves(value) if is_time(leaf)]
    for (path, one), (other_path, other) in pairwise(times):
        if one != other:
            return put(put(value, path, other), other_path, one)
    return None


def miscounted(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arguments with one number wrong: one more, one less, ten times as many."""
    for path, leaf in leaves(value):
        if isinstance(leaf, bool) or is_time(leaf):
            continue
        if isinstance(leaf, int | float) or (isinstance(leaf, str) and leaf.isdigit() and len(leaf) < 9):
            number = float(leaf)
            for wrong in dict.fromkeys((number + 1, number - 1, number * 10)):
                if wrong != number:
                    shown = int(wrong) if wrong == int(wrong) else wrong
                    yield f"{shown} for {leaf}", put(value, path, str(shown) if isinstance(leaf, str) else shown)


def resized(value: Any, mistaken: Sequence[Texts]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments with one list item missing, and with an additional item for something else."""
    for path, items, joined in _lists(value):
        whole: Callable[[list[Any]], Any] = (lambda members: ",".join(members)) if joined else (lambda members: members)
        if len(items) > 1:
            yield "one missing", put(value, path, whole(items[1:]))
            yield "the last missing", put(value, path, whole(items[:-1]))
            yield "only one left", put(value, path, whole(items[-1:]))
        for texts in mistaken:
            for item in items:
                if (other := swapped(item, texts)) != item and other not in items:
                    yield "one too many", put(value, path, whole([*items, other]))
                    break
            else:
                continue
            break


def _lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any], bool]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _lists(inner, (*path, name))
    elif isinstance(value, list):
        yield path, value, False
        for i, inner in enumerate(value):
            yield from _lists(inner, (*path, i))
    elif isinstance(value, str) and re.fullmatch(r"[\w-]{6,}(?:,[\w-]{6,})+", value):
        yield path, value.split(","), True


# -- arguments from a schema -------------------------------------------------------------------------------------------

Pool = Mapping[str, Sequence[Any]]
"""Name of an argument → possible values."""


def drawn_up(schema: Mapping[str, Any], pool: Pool, choose: Callable[[Sequence[Any]], Any], name: str = "") -> Any:
    """Generate the required arguments of a schema, from the pool by name or else as the simplest valid value.

    Raises:
        LookupError: No value is known for a required argument.
    """
    kinds = schema.get("type")
    kind = kinds if isinstance(kinds, str) else next((k for k in kinds or () if k != "null"), None)
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        wanted = [n for n in properties if n in schema.get("required", ())]
        return {n: drawn_up(properties[n], pool, choose, n) for n in wanted}
    known = [v for v in pool.get(name, ()) if _may_be(v, kind)]
    if schema.get("enum"):
        return choose([v for v in known if v in schema["enum"]] or schema["enum"])
    if known:
        return choose(known)
    if "default" in schema:
        return schema["default"]
    for alternative in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        try:
            return drawn_up(alternative, pool, choose, name)
        except LookupError:
            continue
    if kind == "array":
        return [drawn_up(schema.get("items", {}), pool, choose, name.removesuffix("s"))]
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return schema.get("minimum", 10)
    raise LookupError(name)


_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


def _may_be(value: Any, kind: str | None) -> bool:
    if kind is None or kind not in _KINDS:
        return True
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def pool_of(*values: Any) -> dict[str, list[Any]]:
    """Return the values in arguments, replies or rows by member name."""
    result: dict[str, list[Any]] = {}

    def gather(value: Any) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                values = result.setdefault(str(name), [])
                if inner not in values and inner not in (None, ""):
                    values.append(inner)
                gather(inner)
        elif isinstance(value, list):
            for inner in value:
                gather(inner)

    for value in values:
        gather(value)
    return result
