"""Slack's message markup as pieces for a page; unknown markup stays unchanged."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

Piece = tuple[str, str]
"""A (kind, text) pair; the kind is text, link, mention, quote, code, block or a style."""

_TOKEN = re.compile(
    r"```(?P<block>.+?)```|`(?P<code>[^`\n]+)`|<(?P<angle>[^<>\n]{1,2000})>|:(?P<emoji>[a-z0-9_+-]{1,60}):"
    r"|(?<![\w*])\*(?P<bold>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<![\w_])_(?P<italic>[^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>[^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])",
    re.DOTALL,
)
_LONGEST = 20_000


def pieces(text: str, people: Mapping[str, str], channels: Mapping[str, str], emoji: Mapping[str, str]) -> list[Piece]:
    """Return a message's text as pieces in order."""
    result: list[Piece] = []
    end = 0
    shown = text[:_LONGEST]
    for token in _TOKEN.finditer(shown):
        result.append(("text", html.unescape(shown[end : token.start()])))
        kind = str(token.lastgroup)
        value = token[kind]
        if kind == "angle":
            result.append(_angle(value, people, channels))
        elif kind == "emoji":
            result.append(("text", emoji.get(value, token[0])))
        else:
            result.append((kind, html.unescape(value)))
        end = token.end()
    result.append(("text", html.unescape(shown[end:])))
    if len(text) > _LONGEST:
        result.append(("italic", f"… {len(text) - _LONGEST:,} more characters"))
    return [piece for piece in result if piece[1]]


def _angle(value: str, people: Mapping[str, str], channels: Mapping[str, str]) -> Piece:
    """Convert <@U1>, <#C1|name>, <!here> or <https://…|text>."""
    target, _, label = value.partition("|")
    label = html.unescape(label)
    match target[:1]:
        case "@":
            return "mention", f"@{label or people.get(target[1:], target[1:])}"
        case "#":
            return "mention", f"#{label or channels.get(target[1:], target[1:])}"
        case "!":
            return "mention", label or f"@{target[1:].partition('^')[0]}"
        case _:
            return "link", label or html.unescape(target)
