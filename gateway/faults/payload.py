"""A reply as data that can be changed and serialized again in the app's format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson

from soundstage.servers.reply import Answer, Result, compact_json, indented_json

Path = tuple[str | int, ...]
_GO = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_WRITERS: tuple[Callable[[Any], str], ...] = (
    compact_json,
    indented_json,
    json.dumps,
    partial(json.dumps, indent=2),
    partial(json.dumps, ensure_ascii=False),
    lambda value: compact_json(value).translate(_GO),
    lambda value: indented_json(value).translate(_GO),
)


@dataclass(frozen=True, slots=True)
class Payload:
    """The longest text of a successful reply: JSON, or the lines of a text (of a table, the lines below its header)."""

    value: Any
    _result: Result
    _block: int
    _write: Callable[[Any], str]

    def with_value(self, value: Any) -> Result:
        """Return the reply with this value instead of the old one, also in equal structured content."""
        text, content = self._write(value), list(self._result.content)
        before = content[self._block]["text"]
        content[self._block] = {**content[self._block], "text": text}

        def replaced(item: Any) -> Any:
            if item == self.value:
                return value
            if item == before:
                return text
            if isinstance(item, dict):
                return {name: replaced(one) for name, one in item.items()}
            return [replaced(one) for one in item] if isinstance(item, list) else item

        return replace(self._result, content=content, structured=replaced(self._result.structured))


def payload_of(answer: Answer) -> Payload | None:
    """Return the payload of a reply; None for a failure and for a reply without text."""
    block = longest_text(answer)
    if block is None:
        return None
    assert isinstance(answer, Result)
    text: str = answer.content[block]["text"]
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        head, *lines = text.split("\n")
        return Payload(lines, answer, block, lambda changed: "\n".join([head, *map(_line, changed)])) if lines else None
    if not isinstance(value, dict | list):
        return None
    write = next((w for w in _WRITERS if w(value) == text), compact_json)
    return Payload(value, answer, block, write)


def _line(value: Any) -> str:
    """Return a line of text; a value that replaced one is written as JSON."""
    return value if isinstance(value, str) else compact_json(value)


def longest_text(answer: Answer) -> int | None:
    """Return the position of the longest text in a successful reply."""
    if not isinstance(answer, Result) or not answer.ok:
        return None
    sizes = {i: len(b["text"]) for i, b in enumerate(answer.content) if b.get("type") == "text" and b["text"]}
    return max(sizes, key=sizes.__getitem__) if sizes else None


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value that is not a container, with its path."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


def longest_list(value: Any) -> Path | None:
    """Return the path of the longest list with two or more items; the first one if several are equally long."""
    lists: list[tuple[int, Path]] = []

    def look(item: Any, path: Path) -> None:
        if isinstance(item, list):
            lists.append((len(item), path))
        inner = enumerate(item) if isinstance(item, list) else item.items() if isinstance(item, dict) else ()
        for name, child in inner:
            look(child, (*path, name))

    look(value, ())
    size, path = max(lists, key=lambda f: f[0], default=(0, ()))
    return path if size >= 2 else None


def at(value: Any, path: Path) -> Any:
    """Return the part of `value` at `path`."""
    for name in path:
        value = value[name]
    return value


def with_value(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of `value` with `new` at `path`."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = with_value(value[path[0]], path[1:], new)
    return copy


def without(value: Any, path: Path) -> Any:
    """Return a copy of `value` without the part at `path`."""
    copy = value.copy()
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(value[path[0]], path[1:])
    return copy


def shown(path: Path) -> str:
    """Format a path for people, such as `items[3].name`."""
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).removeprefix(".")
