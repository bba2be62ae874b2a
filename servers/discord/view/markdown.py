"""Discord's Markdown as pieces that a page can show. What is not understood stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Piece = tuple[str, str]
"""(kind, text): text, bold, italic, underline, strike, spoiler, code, block, quote, mention, emoji, link."""

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
    """What mentions mean: names by id."""

    users: Mapping[str, str]
    roles: Mapping[str, str]
    channels: Mapping[str, str]


def pieces(text: str, names: Names) -> list[Piece]:
    """A message's text in order."""
    found: list[Piece] = []
    end = 0
    shown = text[:_LONGEST]
    for token in _TOKEN.finditer(shown):
        found.append(("text", shown[end : token.start()]))
        kind = str(token.lastgroup)
        found.append(_piece(kind, token[kind], token[0], names))
        end = token.end()
    found.append(("text", shown[end:]))
    if len(text) > _LONGEST:
        found.append(("italic", f"… {len(text) - _LONGEST:,} more characters"))
    return [piece for piece in found if piece[1]]


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
    """<@1>, <@!1>, <@&1>, <#1>, <:name:1>, <a:name:1>."""
    if value.startswith("@&"):
        return "mention", f"@{names.roles.get(value[2:], 'unknown-role')}"
    if value.startswith("@"):
        return "mention", f"@{names.users.get(value[1:].removeprefix('!'), 'unknown-user')}"
    if value.startswith("#"):
        return "mention", f"#{names.channels.get(value[1:], 'unknown')}"
    if emoji := re.fullmatch(r"a?:(\w+):\d+", value):
        return "emoji", f":{emoji[1]}:"
    return "text", whole
