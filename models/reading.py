"""Extract JSON and code from answers; models wrap them in sentences and code fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from soundstage.bounded_input import Limits, Refused, read_json
from soundstage.models.asking import Unusable

LIMITS = Limits(size=8 * 2**20, values=100_000, depth=60)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t]*$")
_MOST_STARTS = 200
_SHOWN = 120


class Block(NamedTuple):
    """A fenced block: the info string, the line before the fence, and the content."""

    info: str
    above: str
    content: str


def json_in(text: str) -> Any:
    """Return the JSON object or list in an answer, ignoring surrounding text; the longest if there are several.

    Raises:
        Unusable: There is no JSON, or it is too large.
    """
    if not text.strip():
        raise Unusable("it is empty, and JSON was asked for")
    longest = max(_spans(text), key=lambda span: len(span.text), default=None)
    if longest is None:
        raise Unusable(f"there is no JSON object in it; it begins {_shown(text)}")
    if longest.problem is not None:
        raise Unusable(f"the JSON in it is broken: {longest.problem}, after {_shown(longest.text[-_SHOWN:])}")
    try:
        return read_json(longest.text, LIMITS)
    except Refused as refused:
        raise Unusable(f"the JSON in it {refused}") from None


def fenced(text: str) -> list[Block]:
    """Return the fenced blocks of an answer; an unclosed block is skipped, because its end is missing.

    A closing fence has at least the length of the opening one, so that code may contain shorter fences.
    """
    result: list[Block] = []
    lines, above = iter(text.replace("\r\n", "\n").split("\n")), ""
    for line in lines:
        if (opened := _FENCE.match(line)) is None:
            above = line.strip() or above
            continue
        content: list[str] = []
        for inner in lines:
            closing = inner.strip()
            if len(closing) >= len(opened[1]) and set(closing) == {opened[1][0]}:
                result.append(Block(opened[2], above, "".join(f"{one}\n" for one in content)))
                break
            content.append(inner)
        above = ""
    return result


class _Span(NamedTuple):
    """A part of a text that is JSON or begins like it, with its syntax error."""

    text: str
    problem: str | None


def _spans(text: str) -> Iterator[_Span]:
    """Yield the parts of a text that are a JSON object or list; parts of a broken one are not yielded separately."""
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MOST_STARTS):
        start = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if start < 0:
            return
        try:
            _, at = decoder.raw_decode(text, start)
            problem = None
        except json.JSONDecodeError as error:
            # The error position of an unterminated string is its start, although the rest of the text was read as part of it.
            at = len(text) if error.msg.startswith("Unterminated") else max(error.pos, start + 1)
            problem = error.msg
        except RecursionError:
            at, problem = len(text), "nested too deeply"
        yield _Span(text[start:at], problem)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…")
