"""The view of a WeCom group with a robot: its messages, its members, and uploaded files."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.servers.view import Query, View

_CHINA = timezone(timedelta(hours=8))  # the time zone of the servers and, by default, of the members
_MOST_MESSAGES = 80
_LAST_SECOND = 253_402_300_799
_LINE = re.compile(r"(?P<heading>#{1,6}) (?P<title>.+)|> ?(?P<quote>.*)|(?P<plain>.*)")
_TOKEN = re.compile(
    r"\*\*(?P<bold>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`|\[(?P<link>[^\]\n]{1,300})\]\([^)\s]{1,500}\)|<@(?P<call>[^<>\n]{1,100})>"
    r'|<font color="(?P<colour>info|comment|warning)">(?P<coloured>[^<\n]*)</font>'
)

Piece = tuple[str, str]
"""Kind and text of a piece; the kinds are text, bold, code, link, call, info, comment and warning."""


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show a group; the query's `robot` is the key of its robot, `before` the number of latest messages to omit."""
    robots = context.list("webhook_robot", limit=50)
    robot = context.get("webhook_robot", query.get("robot", "")) or (robots[0] if robots else None)
    data: dict[str, Any] = {"robots": robots, "robot": robot, "messages": [], "members": [], "files": [], "older": None}
    if robot is not None:
        where = {"robot_key": robot["key"]}
        members = context.list("group_member", where, limit=500)
        names = {m["userid"]: str(m.get("name") or m["userid"]) for m in members}
        messages = context.list("message", where, order="-created_at", limit=_MOST_MESSAGES + 1, offset=_skipped(query))
        data |= {
            "messages": [_message(m, names) for m in reversed(messages[:_MOST_MESSAGES])],
            "older": _skipped(query) + _MOST_MESSAGES if len(messages) > _MOST_MESSAGES else None,
            "members": members,
            "files": [{**f, "at": _moment(f.get("created_at"))} for f in context.list("file", where, limit=100)],
        }
    return View("group.html.jinja", data, _CHINA)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a robot or a row that belongs to one."""
    key = value.get("key") if entity == "webhook_robot" else value.get("robot_key")
    return {"robot": str(key)} if key else {}


def _skipped(query: Query) -> int:
    text = query.get("before", "")
    return min(int(text), 10**9) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _message(message: Object, names: dict[str, str]) -> dict[str, Any]:
    kind = str(message.get("msgtype") or "text")
    text = str(message.get("content") or "")
    called = [names.get(u, u) for u in message.get("mentioned_list") or []]
    called += [m for m in message.get("mentioned_mobile_list") or [] if m != "@all" or "@all" not in called]
    image = message.get("image") or {}
    return {
        "id": message["id"],
        "kind": kind,
        "at": _moment(message.get("created_at")),
        "lines": _lines(text, names) if kind == "markdown" else [("plain", [("text", text)])],
        "called": [who.removeprefix("@") for who in called],
        "image_bytes": len(str(image.get("base64") or "")) * 3 // 4 if image else None,
        "articles": message.get("articles") or [],
    }


def _lines(text: str, names: dict[str, str]) -> list[tuple[str, list[Piece]]]:
    """Split a text in WeCom's Markdown into lines (heading, quote or plain) and pieces."""
    results: list[tuple[str, list[Piece]]] = []
    for line in text[:8_000].splitlines():
        match = _LINE.fullmatch(line)
        kind = str(match.lastgroup) if match else "plain"
        inner = (match[kind] if match else line) or ""
        results.append(("heading" if kind == "title" else kind, _pieces(inner, names)))
    return results


def _pieces(text: str, names: dict[str, str]) -> list[Piece]:
    results: list[Piece] = []
    end = 0
    for token in _TOKEN.finditer(text):
        results.append(("text", text[end : token.start()]))
        if token["colour"]:
            results.append((token["colour"], token["coloured"]))
        elif token["call"]:
            results.append(("call", f"@{names.get(token['call'], token['call'])}"))
        else:
            kind = str(token.lastgroup)
            results.append((kind, token[kind]))
        end = token.end()
    results.append(("text", text[end:]))
    return [piece for piece in results if piece[1]]


def _moment(seconds: object) -> datetime | None:
    text = str(seconds)
    if not (text.isascii() and text.isdecimal() and int(text) <= _LAST_SECOND):
        return None
    return datetime.fromtimestamp(int(text), UTC).astimezone(_CHINA)
