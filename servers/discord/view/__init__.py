"""Discord as people see it: servers, channels by category, the messages of a channel, and members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.identity import user_or_deleted
from soundstage.kernels.discord.rules.snowflakes import created_at
from soundstage.servers.discord.view.markdown import Names, pieces
from soundstage.servers.view import Query, View

_MOST_MESSAGES = 60
_SHOWN_BEHIND = 20
_MOST_MEMBERS = 200
_DIRECT, _CATEGORY = (1, 3), 4
_THREADS = (10, 11, 12)
_MARKS = {0: "#", 1: "@", 2: "🔊", 3: "@", 5: "📣", 10: "🧵", 11: "🧵", 12: "🧵", 13: "🎙️", 15: "💬", 16: "🖼️"}
_OF_A_GUILD_ALONE = ("guild", "role", "member", "emoji")


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render a server (`guild`) and a `channel` of it, around `message` or up to the id `before`."""
    guilds = context.list("guild", limit=100)
    requested = context.get("channel", query.get("channel", ""))
    guild_id = str((requested or {}).get("guild_id") or query.get("guild") or (guilds[0]["id"] if guilds else ""))
    channels = context.list("channel", {"guild_id": guild_id or None}, limit=600)
    direct = [c for c in context.list("channel", {"guild_id": None}, limit=50) if _type(c) in _DIRECT]
    roles = sorted(context.list("role", {"guild_id": guild_id}), key=_position, reverse=True)
    members = context.list("member", {"guild_id": guild_id}, limit=_MOST_MEMBERS)
    nicks = {m["user_id"]: str(m["nick"]) for m in members if m.get("nick")}
    names = Names(
        users={u["id"]: nicks.get(u["id"]) or _name(u) for u in context.list("user", limit=2000)},
        roles={r["id"]: str(r.get("name")) for r in roles},
        channels={c["id"]: str(c.get("name")) for c in channels},
    )
    groups = _groups(channels, direct)
    first = next((c["id"] for group in groups for c in group["channels"]), None)
    channel = requested or context.get("channel", first or "")
    data: dict[str, Any] = {
        "guilds": [{"id": g["id"], "name": str(g.get("name") or g["id"])} for g in guilds],
        "guild": context.get("guild", guild_id),
        "groups": groups,
        "channel": _shown_channel(channel) if channel else None,
        "people": _people(context, members, roles, names),
        "roles": roles,
        "messages": [],
        "older": None,
    }
    if channel is not None:
        messages = sorted(context.list("message", {"channel_id": channel["id"]}), key=_number)
        upto = _number({"id": query.get("before")}) or _behind(messages, query.get("message"))
        past = [m for m in messages if not upto or _number(m) < upto]
        data["messages"] = [_message(context, m, names) for m in past[-_MOST_MESSAGES:]]
        data["older"] = past[-_MOST_MESSAGES]["id"] if len(past) > _MOST_MESSAGES else None
    return View("server.html.jinja", data, UTC)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a channel, a message, or a server with its roles and members."""
    match entity:
        case "channel":
            return {"channel": str(value.get("id"))}
        case "message":
            return {"channel": str(value.get("channel_id")), "message": str(value.get("id"))}
        case _ if entity in _OF_A_GUILD_ALONE:
            return {"guild": str(value.get("guild_id") or value.get("id"))}
        case _:
            return None


def _groups(channels: list[Object], direct: list[Object]) -> list[dict[str, Any]]:
    """Group channels by category, with threads after their channel and channels without a category first."""
    categories = sorted((c for c in channels if _type(c) == _CATEGORY), key=_position)
    known = {c["id"] for c in categories}
    outside = [c for c in channels if c.get("parent_id") not in known]
    groups: list[dict[str, Any]] = [{"category": None, "channels": _in_order(outside, channels)}]
    for category in categories:
        below = _in_order([c for c in channels if c.get("parent_id") == category["id"]], channels)
        groups.append({"category": {"id": category["id"], "name": str(category.get("name"))}, "channels": below})
    if direct:
        groups.append(
            {"category": {"id": "", "name": "Direct messages"}, "channels": [_shown_channel(c) for c in direct]}
        )
    return groups


def _in_order(own: list[Object], channels: list[Object]) -> list[dict[str, Any]]:
    """Return channels, each followed by its threads."""
    shown: list[dict[str, Any]] = []
    for channel in sorted((c for c in own if _type(c) not in (_CATEGORY, *_THREADS)), key=_position):
        threads = [c for c in channels if _type(c) in _THREADS and c.get("parent_id") == channel["id"]]
        shown += [_shown_channel(channel), *map(_shown_channel, threads)]
    return shown


def _shown_channel(channel: Object) -> dict[str, Any]:
    kind = _type(channel)
    hidden = bool(channel.get("no_access"))
    return {
        "id": channel["id"],
        "name": str(channel.get("name") or ("Direct message" if kind in _DIRECT else channel["id"])),
        "mark": "🔒" if hidden else _MARKS.get(kind, "#"),
        "topic": str(channel.get("topic") or ""),
        "thread": kind in _THREADS,
    }


def _people(
    context: AppContext, members: Iterable[Object], roles: list[Object], names: Names
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Group members by their highest hoisted role, as in the list on the right."""
    apart = [r for r in roles if r.get("hoist")]
    groups: dict[str, list[dict[str, Any]]] = {str(r.get("name")): [] for r in apart}
    groups["Members"] = []
    for member in members:
        role_ids = member.get("roles") or []
        title = next((str(r.get("name")) for r in apart if r["id"] in role_ids), "Members")
        user = user_or_deleted(context, member["user_id"])
        groups[title].append(
            {
                "id": member["user_id"],
                "guild_id": member["guild_id"],
                "name": names.users.get(member["user_id"]) or _name(user),
                "is_bot": bool(user.get("bot")),
                "roles": ", ".join(names.roles[r] for r in role_ids if r in names.roles),
            }
        )
    return [(title, sorted(people, key=lambda p: p["name"].lower())) for title, people in groups.items() if people]


def _message(context: AppContext, message: Object, names: Names) -> dict[str, Any]:
    author = user_or_deleted(context, message.get("author_id"))
    return {
        "id": message["id"],
        "sender": names.users.get(str(message.get("author_id"))) or _name(author),
        "is_bot": bool(author.get("bot")),
        "at": _creation_time(message),
        "pieces": pieces(str(message.get("content") or ""), names),
        "reactions": [_reaction(r) for r in message.get("reactions") or []],
        "edited": bool(message.get("edited_timestamp")),
        "pinned": bool(message.get("pinned")),
    }


def _reaction(reaction: Mapping[str, Any]) -> dict[str, Any]:
    emoji = reaction.get("emoji") or {}
    name = str(emoji.get("name") or "")
    face = f":{name}:" if emoji.get("id") else name
    return {"face": face, "count": reaction.get("count") or 0, "mine": bool(reaction.get("me"))}


def _behind(messages: list[Object], wanted: str | None) -> int:
    """Return the id up to which messages are shown so that one of them is included; 0 for the newest."""
    later = [m for m in messages if wanted and _number(m) > _number({"id": wanted})]
    return _number(later[_SHOWN_BEHIND]) if len(later) > _SHOWN_BEHIND else 0


def _creation_time(message: Object) -> datetime | None:
    try:
        return datetime.fromisoformat(created_at(str(message["id"])))
    except (ValueError, OverflowError):
        return None


def _number(row: Mapping[str, Any]) -> int:
    """Return a row's id as a number, or 0 if it is not one."""
    text = str(row.get("id") or "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 30 else 0


def _name(user: Object) -> str:
    return str(user.get("global_name") or user.get("username") or user.get("id"))


def _type(channel: Object) -> int:
    return int(channel.get("type") or 0)


def _position(row: Object) -> int:
    return int(row.get("position") or 0)
