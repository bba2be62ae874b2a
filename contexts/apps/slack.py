"""Slack's entities, with the field names of its Web API.

Reactions stay where the API shows them, inside their message (`message.reactions`).
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine import fill
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format

TABLES = AppTables("slack")

# How Slack words what a world is made of.

_TEAM = fill.once("team", "T0{upper:9}")
_URL = "https://example.slack.com/"
_TS = fill.moment("at", "us")
_MADE = fill.moment("at", "s", as_text=False)
_REACTION = fill.shape(name=fill.of("it.name"), users=fill.key("it.people"), count=fill.of("it.people.count"))


def _bot_id(name: str) -> fill.Info:
    return fill.once("bot", "B0{upper:9}", per=name)


def _app_id(name: str) -> fill.Info:
    return fill.once("app", "A0{upper:9}", per=name)


def _group(filler: fill.Info | bool, otherwise: fill.Info | bool) -> fill.Info:
    """Channels, as against direct and group messages."""
    return fill.case("form", {"group": filler}, otherwise)


def _two(filler: fill.Info | bool, otherwise: fill.Info | bool | None = None) -> fill.Info:
    """Direct messages between two, as against group messages."""
    return fill.case("members.count", {2: filler}, otherwise)


def _said(name: str) -> fill.Info:
    """A channel's topic or purpose, with who set it and when."""
    return fill.shape(value=fill.of(name, otherwise=""), creator=fill.key("owner"), last_set=_MADE)


def _if_answered(filler: fill.Info) -> fill.Info:
    """What only messages with replies have."""
    return fill.case("replies", {"present": filler})


def _file(of: str = "self") -> dict[str, fill.Info]:
    """What a file says of itself, in its own row and inside messages."""
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


_OWN_FILE = _file()
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

# `plan` is "free" where user groups are not to be had. `who_can_edit_usergroups` is "everyone" or "admins".
WORKSPACE = TABLES.entity(
    "workspace",
    Column("team_id", Text, primary_key=True, info=id_format("T0{upper:9}") | fill.form("{id}", id=_TEAM)),
    Column("team", Text, info=fill.of("world.name")),
    Column("url", Text, info=fill.always(_URL)),
    Column("plan", Text, info=fill.always("pro")),
    Column("who_can_edit_usergroups", Text, info=fill.always("everyone")),
    made_from="self",
)

# The environment of the servers, such as SLACK_MCP_ADD_MESSAGE_TOOL; a variable without a row is not limited.
SETTING = TABLES.entity(
    "setting",
    Column("name", Text, primary_key=True),
    Column("value", Text),
)

USER = TABLES.entity(
    "user",
    Column("id", Text, primary_key=True, info=id_format("U0{upper:9}")),
    Column("team_id", Text, info=_TEAM),
    Column("name", Text, info=fill.of("account.handle")),
    Column("deleted", Flag, info=fill.case("standing", {"left": True}, False)),
    Column("color", Text, info=fill.random("{hex:6}")),
    Column("real_name", Text, info=fill.of("latin")),
    Column("tz", Text, info=fill.of("zone", otherwise=fill.of("world.zone"))),
    Column("tz_label", Text, info=fill.case("zone", _ZONE_NAMES)),
    Column("tz_offset", Integer, info=fill.case("zone", _ZONE_OFFSETS)),
    Column("profile", Json, info=_PROFILE),
    Column("is_admin", Flag, info=fill.of("account.is_admin", otherwise=False)),
    Column("is_owner", Flag, info=fill.of("account.is_owner", otherwise=False)),
    Column("is_primary_owner", Flag, info=fill.of("account.is_primary_owner", otherwise=False)),
    Column("is_restricted", Flag, info=fill.always(False)),
    Column("is_ultra_restricted", Flag, info=fill.always(False)),
    Column("is_bot", Flag, info=fill.case("kind", {"bot": True}, False)),
    Column("is_app_user", Flag, info=fill.always(False)),
    Column("updated", Integer, info=_MADE),
    Column("has_2fa", Flag, info=fill.case("kind", {"person": True})),
    parents={"workspace": "team_id"},
    made_from=("person", "bot"),
)

# The tokens that the servers hold, as auth.test describes them: one with a `bot_id` is a bot's, any other a person's.
# What may be wrong with a token: `valid` false (or `error`, the code that Slack answers instead of invalid_auth),
# `scopes` (all that it has; without it every one) or `missing_scopes`, and `ratelimited` (true, or the Web API methods
# that are).
AUTH = TABLES.entity(
    "auth",
    Column(
        "user_id",
        Text,
        primary_key=True,
        info=id_format("U0{upper:9}") | fill.case("kind", {"self": fill.key("person")}, fill.key("self")),
    ),
    Column("team_id", Text, info=_TEAM),
    Column("team", Text, info=fill.of("world.name")),
    Column("url", Text, info=fill.always(_URL)),
    Column("user", Text, info=fill.of("person.account.handle", otherwise=fill.of("account.handle"))),
    Column("bot_id", Text, info=fill.case("kind", {"bot": _bot_id("self")})),
    Column("valid", Flag),
    Column("error", Text),
    Column("scopes", Json),
    Column("missing_scopes", Json),
    Column("ratelimited", Json),
    parents={"workspace": "team_id"},
    made_from=("self", "bot"),
)

# The workspace's own emoji; the standard ones need no row.
EMOJI = TABLES.entity(
    "emoji",
    Column("name", Text, primary_key=True),
    Column("url", Text),
)

# Channels, direct messages (`is_im`, `user` is the other side) and group messages (`is_mpim`). Who is in it is
# `members` where it is given, else `is_member`, which speaks of the state's own account. `last_read` and `unread_count` are
# that person's, not the bot's; how far others have read is their `read_mark`.
CHANNEL = TABLES.entity(
    "channel",
    Column(
        "id", Text, primary_key=True, info=id_format("C0{upper:9}") | _group(fill.random("C0{upper:9}"), _DIRECT_ID)
    ),
    Column("name", Text, info=_CHANNEL_NAME),
    Column("is_channel", Flag, info=_group(fill.case("private", {True: False}, True), False)),
    Column("is_group", Flag, info=_group(fill.case("private", {True: True}, False), False)),
    Column("is_im", Flag, info=_group(False, _two(True, False))),
    Column("created", Integer, info=_MADE),
    Column("creator", Text, info=fill.key("owner")),
    Column("user", Text, info=fill.case("form", {"direct": _two(fill.key("owner"))})),
    Column("is_archived", Flag, info=fill.case("archived", {True: True}, False)),
    Column("is_general", Flag, info=fill.case("name", {"general": True}, False)),
    Column("unlinked", Integer, info=fill.always(0)),
    Column("name_normalized", Text, info=_CHANNEL_NAME),
    Column("is_shared", Flag, info=fill.always(False)),
    Column("is_ext_shared", Flag, info=fill.always(False)),
    Column("is_org_shared", Flag, info=fill.always(False)),
    Column("pending_shared", Json, info=fill.always([])),
    Column("is_pending_ext_shared", Flag, info=fill.always(False)),
    Column("is_member", Flag),
    Column("is_private", Flag, info=_group(fill.case("private", {True: True}, False), True)),
    Column("is_mpim", Flag, info=_group(False, _two(False, True))),
    Column("updated", Integer, info=fill.moment("at", as_text=False)),
    Column("topic", Json, info=_said("topic")),
    Column("purpose", Json, info=_said("text")),
    Column("previous_names", Json, info=fill.always([])),
    Column("num_members", Integer),
    Column("context_team_id", Text, info=_TEAM),
    Column("members", Json, info=fill.several(fill.key("members"), fill.key("bots"))),
    Column("last_read", Text, info=fill.moment("read", "us")),
    Column("unread_count", Integer),
    Column("properties", Json),
    Column("is_read_only", Flag),
    Column("is_thread_only", Flag),
    Column("is_non_threadable", Flag),
    parents={"workspace": "context_team_id"},
    made_from="place",
)

# How far people have read, apart from the state's own account.
READ_MARK = TABLES.entity(
    "read_mark",
    Column("channel", Text, primary_key=True, info=fill.key("place")),
    Column("user", Text, primary_key=True, info=fill.key("person")),
    Column("last_read", Text, info=fill.moment("place.read", "us")),
    parents={"channel": "channel"},
    made_from="member",
)

MESSAGE = TABLES.entity(
    "message",
    Column("channel", Text, primary_key=True, info=fill.key("place")),
    Column("ts", Text, primary_key=True, info=_TS),
    Column("type", Text, info=fill.always("message")),
    Column("subtype", Text, info=fill.of("activity")),
    Column("user", Text, info=fill.key("author")),
    Column("text", Text, info=fill.text("text", mention="<@{id}>", link="<{url}|{name}>")),
    Column("team", Text, info=_TEAM),
    Column("bot_id", Text, info=fill.case("author.kind", {"bot": _bot_id("author")})),
    Column("app_id", Text, info=fill.case("author.kind", {"bot": _app_id("author")})),
    Column("username", Text),
    Column("bot_profile", Json, info=fill.case("author.kind", {"bot": _BOT_PROFILE})),
    Column("blocks", Json),
    Column("attachments", Json),
    Column(
        "files",
        Json,
        info=fill.case("files", {"present": fill.items("files", fill.shape(id=fill.key("it"), **_file("it")))}),
    ),
    Column(
        "edited",
        Json,
        info=fill.case("changed", {True: fill.shape(user=fill.key("author"), ts=fill.moment("edited", "us"))}),
    ),
    Column("thread_ts", Text, info=fill.case("root", {"present": fill.key("root")}, _if_answered(fill.key("self")))),
    Column("parent_user_id", Text, info=fill.key("root.author")),
    Column("reply_count", Integer, info=_if_answered(fill.of("replies.count"))),
    Column("reply_users_count", Integer, info=_if_answered(fill.of("replies.author.count"))),
    Column("latest_reply", Text, info=_if_answered(fill.key("replies.last"))),
    Column("reply_users", Json, info=_if_answered(fill.key("replies.author"))),
    Column("is_locked", Flag, info=_if_answered(fill.always(False))),
    Column("reactions", Json, info=fill.case("reactions", {"present": fill.items("reactions", _REACTION)})),
    Column("pinned_to", Json, info=fill.case("pinned", {True: fill.several(fill.key("place"))})),
    parents={"channel": "channel"},
)

USERGROUP = TABLES.entity(
    "usergroup",
    Column("id", Text, primary_key=True, info=id_format("S0{upper:9}")),
    Column("team_id", Text, info=_TEAM),
    Column("is_usergroup", Flag, info=fill.always(True)),
    Column("is_subteam", Flag, info=fill.always(True)),
    Column("name", Text, info=fill.of("title")),
    Column("description", Text, info=fill.text()),
    Column("handle", Text),
    Column("is_external", Flag, info=fill.always(False)),
    Column("date_create", Integer, info=_MADE),
    Column("date_update", Integer, info=_MADE),
    Column("date_delete", Integer, info=fill.always(0)),
    Column("created_by", Text, info=fill.key("by")),
    Column("updated_by", Text, info=fill.key("by")),
    Column("prefs", Json, info=fill.shape(channels=fill.key("channels"), groups=fill.always([]))),
    Column("users", Json, info=fill.key("members")),
    Column("user_count", Integer, info=fill.of("members.count")),
    parents={"workspace": "team_id"},
)

# `content` is what a download yields: the text of a text file, base64 for any other.
FILE = TABLES.entity(
    "file",
    Column("id", Text, primary_key=True, info=id_format("F0{upper:9}")),
    Column("team_id", Text, info=_TEAM),
    Column("created", Integer, info=_OWN_FILE["created"]),
    Column("timestamp", Integer, info=_OWN_FILE["timestamp"]),
    Column("name", Text, info=_OWN_FILE["name"]),
    Column("title", Text, info=_OWN_FILE["title"]),
    Column("mimetype", Text, info=_OWN_FILE["mimetype"]),
    Column("filetype", Text, info=_OWN_FILE["filetype"]),
    Column("pretty_type", Text, info=_OWN_FILE["pretty_type"]),
    Column("user", Text, info=_OWN_FILE["user"]),
    Column("size", Integer, info=_OWN_FILE["size"]),
    Column("mode", Text, info=_OWN_FILE["mode"]),
    Column("is_external", Flag, info=_OWN_FILE["is_external"]),
    Column("is_public", Flag, info=_OWN_FILE["is_public"]),
    Column("url_private", Text, info=_OWN_FILE["url_private"]),
    Column("url_private_download", Text, info=_OWN_FILE["url_private_download"]),
    Column("permalink", Text, info=_OWN_FILE["permalink"]),
    Column("channels", Json, info=fill.key("places")),
    Column("content", Text, info=fill.text()),
    parents={"workspace": "team_id"},
)
