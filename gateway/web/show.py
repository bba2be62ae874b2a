"""Formatting of values on pages: JSON, sizes, summaries. All content of contexts is escaped here or by Jinja."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import orjson
from markupsafe import Markup, escape

from soundstage.contexts.engine.journal import Change

LONGEST_JSON = 60_000
LONGEST_CELL = 160
_MOST_MEMBERS = 12
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?')


def pretty(value: object) -> str:
    """Format JSON for reading."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS, default=str).decode()


def compact(value: object) -> str:
    """Return a value as JSON on one line."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()


def cut(text: str, length: int = LONGEST_CELL) -> str:
    """Shorten a text to fit a cell."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def json_html(value: object) -> Markup:
    """Format JSON with markup for syntax colours. Very long text is shortened, with a note."""
    text = pretty(value)
    left = len(text) - LONGEST_JSON
    marked = Markup("").join(_marked(text[:LONGEST_JSON]))
    return marked if left <= 0 else marked + Markup('\n<em class="cut">… {} more characters</em>').format(f"{left:,}")


def _marked(text: str) -> list[Markup]:
    parts: list[Markup] = []
    end = 0
    for token in _TOKEN.finditer(text):
        parts.append(escape(text[end : token.start()]))
        quoted, colon = token[1], token[2]
        kind = "k" if colon else "s" if quoted else "n"
        parts.append(Markup('<span class="{}">{}</span>{}').format(kind, quoted or token[0], colon or ""))
        end = token.end()
    parts.append(escape(text[end:]))
    return parts


def reply_value(reply: Any) -> Any:
    """Return the contents of a reply: its texts, parsed as JSON if possible, or the whole reply if it is not plain text."""
    if not isinstance(reply, dict) or not isinstance(reply.get("content"), list):
        return reply
    blocks = reply["content"]
    if len(blocks) != 1 or not isinstance(blocks[0], dict) or not isinstance(blocks[0].get("text"), str):
        return reply
    text = blocks[0]["text"]
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value if isinstance(value, dict | list) else text


def brief(value: object) -> str:
    """Summarize a value on one line, for a list: the names of its members, including those of nested objects."""
    if isinstance(value, str):
        return cut(" ".join(value[: 4 * LONGEST_CELL].split()))
    return cut(", ".join(islice(_members(value, ""), _MOST_MEMBERS)))


def _members(value: object, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _members(inner, str(key))
    elif isinstance(value, list):
        yield f"{name} [{len(value)}]".strip()
    else:
        shown = " ".join(value[:LONGEST_CELL].split()) if isinstance(value, str) else compact(value)
        yield f"{name}: {shown}" if name else shown


def breakable(name: str) -> Markup:
    """Add possible line breaks between the parts of a long name."""
    return Markup("<wbr>").join(re.split(r"(?<=[_./-])", name))


def duration(microseconds: int) -> str:
    """Format a duration in µs or ms."""
    return f"{microseconds} µs" if microseconds < 1000 else f"{microseconds / 1000:.1f} ms"


def words(value: Mapping[str, Any]) -> str:
    """Format the members of a small object on one line: probability 0.03, after 5."""
    return ", ".join(
        f"{name} {item if isinstance(item, str | int | float) else compact(item)}" for name, item in value.items()
    )


def counted(changes: list[Change]) -> dict[str, int]:
    """Count the inserted, updated and deleted rows; zero counts are omitted."""
    counts: dict[str, int] = {}
    for change in changes:
        counts[change["op"]] = counts.get(change["op"], 0) + 1
    return counts


def key_text(key: object) -> str:
    """Format a row's key as one text."""
    return "/".join(map(str, key)) if isinstance(key, list | tuple) else str(key)


FILTERS: dict[str, Callable[..., Any]] = {
    "json_html": json_html,
    "pretty": pretty,
    "compact": compact,
    "brief": brief,
    "cut": cut,
    "breakable": breakable,
    "duration": duration,
    "counted": counted,
    "words": words,
    "key_text": key_text,
    "reply_value": reply_value,
}
