"""Slack's markup of messages as pieces that a page can show. What is not understood stays as it was written."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

Piece = tuple[str, str]
"""(kind, text): text, bold, italic, strike, code, block, quote, mention, link."""

_TOKEN = re.compile(
    r"```(?P<block>.+?)```|`(?P<code>[^`\n]+)`|<(?P<angle>[^<>\n]{1,2000})>|:(?P<emoji>[a-z0-9_+-]{1,60}):"
    r"|(?<![\w*])\*(?P<bold>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<![\w_])_(?P<italic>[^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>[^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])",
    re.DOTALL,
)
_LONGEST = 20_000


def pieces(text: str, people: Mapping[str, str], channels: Mapping[str, str], emoji: Mapping[str, str]) -> list[Piece]:
    """A message's text in order."""
    found: list[Piece] = []
    end = 0
    shown = text[:_LONGEST]
    for token in _TOKEN.finditer(shown):
        found.append(("text", html.unescape(shown[end : token.start()])))
        kind = str(token.lastgroup)
        value = token[kind]
        if kind == "angle":
            found.append(_angle(value, people, channels))
        elif kind == "emoji":
            found.append(("text", emoji.get(value, token[0])))
        else:
            found.append((kind, html.unescape(value)))
        end = token.end()
    found.append(("text", html.unescape(shown[end:])))
    if len(text) > _LONGEST:
        found.append(("italic", f"… {len(text) - _LONGEST:,} more characters"))
    return [piece for piece in found if piece[1]]


def _angle(value: str, people: Mapping[str, str], channels: Mapping[str, str]) -> Piece:
    """<@U1>, <#C1|name>, <!here>, <https://…|text>."""
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
