"""Slack as people see it: channels, the messages of one with reactions, and a thread next to it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.blocks import blocks_text
from soundstage.servers.slack.view.mrkdwn import Piece, pieces
from soundstage.servers.view import Query, View

_MOST_MESSAGES = 60
_MOST_REPLIES = 200
_SHOWN_BEHIND = 20
_FACES = {
    "+1": "👍", "thumbsup": "👍", "-1": "👎", "eyes": "👀", "heart": "❤️", "tada": "🎉", "white_check_mark": "✅", "fire": "🔥",
    "rocket": "🚀", "pray": "🙏", "joy": "😂", "smile": "😄", "raised_hands": "🙌", "wave": "👋", "100": "💯", "warning": "⚠️",
    "heavy_check_mark": "✔️", "x": "❌", "thinking_face": "🤔", "clap": "👏", "coffee": "☕", "bulb": "💡", "ok_hand": "👌",
    "slightly_smiling_face": "🙂", "muscle": "💪", "sparkles": "✨", "hourglass": "⌛", "question": "❓", "point_up": "☝️",
}  # fmt: skip


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render a `channel`, optionally with a `thread`, around `message` or up to the timestamp `before`."""
    people = {u["id"]: u for u in context.list("user", limit=2000)}
    channels = context.list("channel", limit=500)
    listed = sorted((_listed(c, people) for c in channels), key=lambda c: (c["rank"], c["name"].lower()))
    usual = sorted(listed, key=lambda c: (c["archived"], not c["general"]))
    fallback = usual[0]["id"] if usual else None
    channel = context.get("channel", query.get("channel") or fallback or "")
    at = _zone(context, people)
    data: dict[str, Any] = {"channels": listed, "channel": None, "replies": None, "team": context.first("workspace")}
    if channel is None:
        return View("channels.html.jinja", data, at)
    where: dict[str, Any] = {"channel": channel["id"]}
    if before := query.get("before") or _behind(context, channel["id"], query.get("thread") or query.get("message")):
        where["ts <"] = before
    rows = context.list("message", where, order="-ts", limit=4 * _MOST_MESSAGES)
    tops = [m for m in rows if _is_top(m)][: _MOST_MESSAGES + 1]
    names = {c["id"]: c["name"] for c in listed}
    shown = [_message(m, people, names, at) for m in reversed(tops[:_MOST_MESSAGES])]
    data |= {
        "channel": channel,
        "about": _listed(channel, people),
        "messages": shown,
        "older": tops[_MOST_MESSAGES - 1]["ts"] if len(tops) > _MOST_MESSAGES else None,
    }
    if thread := query.get("thread"):
        replies = context.list(
            "message", {"channel": channel["id"], "thread_ts": thread}, order="ts", limit=_MOST_REPLIES
        )
        parent = context.get("message", (channel["id"], thread))
        whole = replies if parent is None or any(m["ts"] == thread for m in replies) else [parent, *replies]
        data["replies"] = [_message(m, people, names, at) for m in whole]
        data["thread"] = thread
    return View("channels.html.jinja", data, at)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a channel, a message or a thread."""
    if entity == "channel":
        return {"channel": str(value.get("id"))}
    if entity != "message":
        return None
    channel, ts = str(value.get("channel")), str(value.get("ts"))
    thread = value.get("thread_ts")
    return {"channel": channel, "message": ts, **({"thread": str(thread)} if thread not in (None, "", ts) else {})}


def _behind(context: AppContext, channel: str, ts: str | None) -> str | None:
    """Return the time up to which messages are shown so that one of them is included; None for the newest."""
    if not ts:
        return None
    later = context.list("message", {"channel": channel, "ts >": ts}, order="ts", limit=4 * _SHOWN_BEHIND)
    tops = [m for m in later if _is_top(m)]
    return str(tops[_SHOWN_BEHIND]["ts"]) if len(tops) > _SHOWN_BEHIND else None


def _is_top(message: Object) -> bool:
    thread = message.get("thread_ts")
    return thread in (None, "", message["ts"]) or message.get("subtype") == "thread_broadcast"


def _listed(channel: Object, people: Mapping[str, Object]) -> dict[str, Any]:
    direct = bool(channel.get("is_im"))
    name = _person(people.get(str(channel.get("user"))), str(channel.get("user"))) if direct else channel.get("name")
    mark = "" if direct else "🔒" if channel.get("is_private") else "#"
    archived = bool(channel.get("is_archived"))
    rank = 3 if archived else 2 if direct else 1 if channel.get("is_mpim") else 0
    return {
        "id": channel["id"],
        "name": str(name or channel["id"]),
        "mark": mark,
        "archived": archived,
        "rank": rank,
        "general": bool(channel.get("is_general")),
    }


def _person(user: Object | None, otherwise: str) -> str:
    if user is None:
        return otherwise
    profile = user.get("profile") or {}
    return str(
        profile.get("display_name")
        or user.get("real_name")
        or profile.get("real_name")
        or user.get("name")
        or user["id"]
    )


def _zone(context: AppContext, people: Mapping[str, Object]) -> timezone:
    """Return the time zone of the acting person."""
    offset = (people.get(identity.person(context).user_id) or {}).get("tz_offset")
    return timezone(timedelta(seconds=offset)) if isinstance(offset, int) and abs(offset) < 86_000 else UTC


def _message(
    message: Object, people: Mapping[str, Object], channels: Mapping[str, str], at: timezone
) -> dict[str, Any]:
    bot = message.get("bot_profile") or {}
    sender = (
        message.get("username")
        or bot.get("name")
        or _person(people.get(str(message.get("user"))), str(message.get("user") or "bot"))
    )
    text = str(message.get("text") or "") or blocks_text(message.get("blocks"))
    names = {uid: _person(u, uid) for uid, u in people.items()}
    return {
        "ts": message["ts"],
        "sender": sender,
        "is_bot": bool(message.get("bot_id")),
        "at": _message_time(message["ts"], at),
        "pieces": _pieces(text, names, channels),
        "reactions": [
            (_FACES.get(str(r.get("name"))) or f":{r.get('name')}:", r.get("count") or len(r.get("users") or []),
             ", ".join(names.get(u, str(u)) for u in r.get("users") or []))
            for r in message.get("reactions") or [] if isinstance(r, dict)
        ],
        "replies": message.get("reply_count") or 0,
        "thread": message.get("thread_ts") or message["ts"],
        "edited": bool(message.get("edited")),
        "system": message.get("subtype") in ("channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"),
        "pinned": bool(message.get("pinned_to")),
        "files": [str(f.get("title") or f.get("name") or f.get("id")) for f in message.get("files") or [] if isinstance(f, dict)],
    }  # fmt: skip


def _pieces(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> list[Piece]:
    return pieces(text, people, channels, _FACES)


def _message_time(ts: object, at: timezone) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(str(ts)), UTC).astimezone(at)
    except (ValueError, OverflowError, OSError):
        return None
