"""Discord's Markdown as pieces for a page; unknown markup stays unchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Piece = tuple[str, str]
"""A (kind, text) pair; the kind is text, link, mention, emoji, quote, code, block, spoiler or a style."""

_TOKEN = re.compile(
    r"```(?:\w{1,20}\n)?(?P<block>[^`]+)```|`(?P<code>[^`\n]+)`|<(?P<angle>[^<>\s]{1,200})>|(?P<everyone>@everyone|@here)"
    r"|(?P<link>https?://[^\s<>]{1,500})|\|\|(?P<spoiler>[^|\n]+)\|\||\*\*(?P<bold>[^*\n]+)\*\*|__(?P<underline>[^_\n]+)__"
    r"|~~(?P<strike>[^~\n]+)~~|(?<!\w)\*(?P<italic>[^\s*][^*\n]*)\*|(?<!\w)_(?P<slanted>[^\s_][^_\n]*)_(?!\w)"
    r"|^> (?P<quote>[^\n]+)$",
    re.MULTILINE,
)
_LONGEST = 8_000


@dataclass(frozen=True, slots=True)
class Names:
    """Names by id, for mentions."""

    users: Mapping[str, str]
    roles: Mapping[str, str]
    channels: Mapping[str, str]


def pieces(text: str, names: Names) -> list[Piece]:
    """Return a message's text as pieces in order."""
    result: list[Piece] = []
    end = 0
    shown = text[:_LONGEST]
    for token in _TOKEN.finditer(shown):
        result.append(("text", shown[end : token.start()]))
        kind = str(token.lastgroup)
        result.append(_piece(kind, token[kind], token[0], names))
        end = token.end()
    result.append(("text", shown[end:]))
    if len(text) > _LONGEST:
        result.append(("italic", f"… {len(text) - _LONGEST:,} more characters"))
    return [piece for piece in result if piece[1]]


def _piece(kind: str, value: str, whole: str, names: Names) -> Piece:
    match kind:
        case "angle":
            return _angle(value, whole, names)
        case "everyone":
            return "mention", value
        case "slanted":
            return "italic", value
        case _:
            return kind, value


def _angle(value: str, whole: str, names: Names) -> Piece:
    """Convert <@1>, <@!1>, <@&1>, <#1>, <:name:1> or <a:name:1>."""
    if value.startswith("@&"):
        return "mention", f"@{names.roles.get(value[2:], 'unknown-role')}"
    if value.startswith("@"):
        return "mention", f"@{names.users.get(value[1:].removeprefix('!'), 'unknown-user')}"
    if value.startswith("#"):
        return "mention", f"#{names.channels.get(value[1:], 'unknown')}"
    if emoji := re.fullmatch(r"a?:(\w+):\d+", value):
        return "emoji", f":{emoji[1]}:"
    return "text", whole
