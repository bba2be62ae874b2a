"""Slack's rows from the content of a world."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_TEAM = fill.once("team", "T0{upper:9}")
_URL = "https://example.slack.com/"
_TS = fill.moment("at", "us")
_MADE = fill.moment("at", "s", as_text=False)
_REACTION = fill.shape(name=fill.of("it.name"), users=fill.key("it.people"), count=fill.of("it.people.count"))


def _bot_id(name: str) -> fill.Filler:
    return fill.once("bot", "B0{upper:9}", per=name)


def _app_id(name: str) -> fill.Filler:
    return fill.once("app", "A0{upper:9}", per=name)


def _group(filler: fill.Filler | bool, otherwise: fill.Filler | bool) -> fill.Filler:
    """Choose by the kind of conversation: channels, or direct and group messages."""
    return fill.case("form", {"group": filler}, otherwise)


def _two(filler: fill.Filler | bool, otherwise: fill.Filler | bool | None = None) -> fill.Filler:
    """Choose by the kind of conversation: direct messages between two people, or others."""
    return fill.case("members.count", {2: filler}, otherwise)


def _topic(name: str) -> fill.Filler:
    """Return a filler for a channel's topic or purpose, with its author and time."""
    return fill.shape(value=fill.of(name, otherwise=""), creator=fill.key("owner"), last_set=_MADE)


def _if_answered(filler: fill.Filler) -> fill.Filler:
    """Return a filler that applies only to messages with replies."""
    return fill.case("replies", {"present": filler})


def _file(of: str = "self") -> dict[str, fill.Filler]:
    """Return fillers for the properties of a file, in its row and inside messages."""
    private = "https://files.slack.com/files-pri/{team}-{id}/"
    parts = {"team": _TEAM, "id": fill.key(of), "name": fill.of(f"{of}.name")}
    return {
        "created": fill.moment(f"{of}.at", "s", as_text=False),
        "timestamp": fill.moment(f"{of}.at", "s", as_text=False),
        "name": fill.of(f"{of}.name"),
        "title": fill.of(f"{of}.title"),
        "mimetype": fill.of(f"{of}.mimetype"),
        "filetype": fill.of(f"{of}.filetype"),
        "pretty_type": fill.of(f"{of}.pretty_type"),
        "user": fill.key(f"{of}.by"),
        "size": fill.of(f"{of}.size", otherwise=fill.of(f"{of}.text.bytes")),
        "mode": fill.case(f"{of}.filetype", {"text": "snippet"}, "hosted"),
        "is_external": fill.always(False),
        "is_public": fill.of(f"{of}.open", otherwise=True),
        "url_private": fill.form(private + "{name}", **parts),
        "url_private_download": fill.form(private + "download/{name}", **parts),
        "permalink": fill.form(_URL + "files/{user}/{id}/{name}", user=fill.key(f"{of}.by"), **parts),
    }


_ZONE_NAMES = {"Asia/Shanghai": "China Standard Time", "Europe/Lisbon": "Western European Time"}
_ZONE_OFFSETS = {"Asia/Shanghai": 28800, "Europe/Lisbon": 0}
_BOT_PROFILE = fill.shape(
    id=_bot_id("author"), app_id=_app_id("author"), name=fill.of("author.name"), deleted=False, team_id=_TEAM,
    updated=fill.moment("author.at", "s", as_text=False),
)  # fmt: skip
_SHOWN_NAME = fill.of("account.display_name", otherwise=fill.of("name"))
_PROFILE = fill.shape(
    title=fill.of("role", otherwise=""),
    phone=fill.of("phone", otherwise=""),
    real_name=fill.of("latin"),
    real_name_normalized=fill.of("latin"),
    display_name=_SHOWN_NAME,
    display_name_normalized=_SHOWN_NAME,
    first_name=fill.of("given"),
    last_name=fill.of("family"),
    status_text=fill.of("account.status_text", otherwise=""),
    status_emoji=fill.of("account.status_emoji", otherwise=""),
    email=fill.of("email"),
    bot_id=fill.case("kind", {"bot": _bot_id("self")}),
    team=_TEAM,
)
_DIRECT_ID = _two(fill.random("D0{upper:9}"), fill.random("C0{upper:9}"))
_CHANNEL_NAME = _group(fill.of("name"), fill.case("members.count", {2: None}, fill.of("name")))

ROWS = {
    "workspace": Rows(
        made_from="self",
        columns={
            "team_id": fill.form("{id}", id=_TEAM),
            "team": fill.of("world.name"),
            "url": fill.always(_URL),
            "plan": fill.always("pro"),
            "who_can_edit_usergroups": fill.always("everyone"),
        },
    ),
    "setting": Rows(),
    "user": Rows(
        made_from=("person", "bot"),
        columns={
            "team_id": _TEAM,
            "name": fill.of("account.handle"),
            "deleted": fill.case("standing", {"left": True}, False),
            "color": fill.random("{hex:6}"),
            "real_name": fill.of("latin"),
            "tz": fill.of("zone", otherwise=fill.of("world.zone")),
            "tz_label": fill.case("zone", _ZONE_NAMES),
            "tz_offset": fill.case("zone", _ZONE_OFFSETS),
            "profile": _PROFILE,
            "is_admin": fill.of("account.is_admin", otherwise=False),
            "is_owner": fill.of("account.is_owner", otherwise=False),
            "is_primary_owner": fill.of("account.is_primary_owner", otherwise=False),
            "is_restricted": fill.always(False),
            "is_ultra_restricted": fill.always(False),
            "is_bot": fill.case("kind", {"bot": True}, False),
            "is_app_user": fill.always(False),
            "updated": _MADE,
            "has_2fa": fill.case("kind", {"person": True}),
        },
    ),
    "auth": Rows(
        made_from=("self", "bot"),
        columns={
            "user_id": fill.case("kind", {"self": fill.key("person")}, fill.key("self")),
            "team_id": _TEAM,
            "team": fill.of("world.name"),
            "url": fill.always(_URL),
            "user": fill.of("person.account.handle", otherwise=fill.of("account.handle")),
            "bot_id": fill.case("kind", {"bot": _bot_id("self")}),
        },
    ),
    "emoji": Rows(),
    "channel": Rows(
        made_from="place",
        columns={
            "id": _group(fill.random("C0{upper:9}"), _DIRECT_ID),
            "name": _CHANNEL_NAME,
            "is_channel": _group(fill.case("private", {True: False}, True), False),
            "is_group": _group(fill.case("private", {True: True}, False), False),
            "is_im": _group(False, _two(True, False)),
            "created": _MADE,
            "creator": fill.key("owner"),
            "user": fill.case("form", {"direct": _two(fill.key("owner"))}),
            "is_archived": fill.case("archived", {True: True}, False),
            "is_general": fill.case("name", {"general": True}, False),
            "unlinked": fill.always(0),
            "name_normalized": _CHANNEL_NAME,
            "is_shared": fill.always(False),
            "is_ext_shared": fill.always(False),
            "is_org_shared": fill.always(False),
            "pending_shared": fill.always([]),
            "is_pending_ext_shared": fill.always(False),
            "is_private": _group(fill.case("private", {True: True}, False), True),
            "is_mpim": _group(False, _two(False, True)),
            "updated": fill.moment("at", as_text=False),
            "topic": _topic("topic"),
            "purpose": _topic("text"),
            "previous_names": fill.always([]),
            "context_team_id": _TEAM,
            "members": fill.several(fill.key("members"), fill.key("bots")),
            "last_read": fill.moment("read", "us"),
        },
    ),
    "read_mark": Rows(
        made_from="member",
        columns={
            "channel": fill.key("place"),
            "user": fill.key("person"),
            "last_read": fill.moment("place.read", "us"),
        },
    ),
    "message": Rows(
        columns={
            "channel": fill.key("place"),
            "ts": _TS,
            "type": fill.always("message"),
            "subtype": fill.of("activity"),
            "user": fill.key("author"),
            "text": fill.text("text", mention="<@{id}>", link="<{url}|{name}>"),
            "team": _TEAM,
            "bot_id": fill.case("author.kind", {"bot": _bot_id("author")}),
            "app_id": fill.case("author.kind", {"bot": _app_id("author")}),
            "bot_profile": fill.case("author.kind", {"bot": _BOT_PROFILE}),
            "files": fill.case("files", {"present": fill.items("files", fill.shape(id=fill.key("it"), **_file("it")))}),
            "edited": fill.case("changed", {True: fill.shape(user=fill.key("author"), ts=fill.moment("edited", "us"))}),
            "thread_ts": fill.case("root", {"present": fill.key("root")}, _if_answered(fill.key("self"))),
            "parent_user_id": fill.key("root.author"),
            "reply_count": _if_answered(fill.of("replies.count")),
            "reply_users_count": _if_answered(fill.of("replies.author.count")),
            "latest_reply": _if_answered(fill.key("replies.last")),
            "reply_users": _if_answered(fill.key("replies.author")),
            "is_locked": _if_answered(fill.always(False)),
            "reactions": fill.case("reactions", {"present": fill.items("reactions", _REACTION)}),
            "pinned_to": fill.case("pinned", {True: fill.several(fill.key("place"))}),
        },
    ),
    "usergroup": Rows(
        columns={
            "team_id": _TEAM,
            "is_usergroup": fill.always(True),
            "is_subteam": fill.always(True),
            "name": fill.of("title"),
            "description": fill.text(),
            "is_external": fill.always(False),
            "date_create": _MADE,
            "date_update": _MADE,
            "date_delete": fill.always(0),
            "created_by": fill.key("by"),
            "updated_by": fill.key("by"),
            "prefs": fill.shape(channels=fill.key("channels"), groups=fill.always([])),
            "users": fill.key("members"),
            "user_count": fill.of("members.count"),
        },
    ),
    "file": Rows(
        columns={
            "team_id": _TEAM,
            **_file(),
            "channels": fill.key("places"),
            "content": fill.text(),
        },
    ),
}
