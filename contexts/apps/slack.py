"""Slack's entities, with the field names of its Web API.

Reactions are stored where the API shows them, inside their message (`message.reactions`).
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("slack")

_TOPIC = {"value": str, "creator": str, "last_set": int}
_BOT = {"id": str, "app_id": str, "name": str, "team_id": str, "deleted": bool, "updated": int}
_PROFILE = {
    **dict.fromkeys(
        ("email", "title", "phone", "real_name", "display_name", "status_text", "status_emoji", "team"), str
    ),
    **dict.fromkeys(("real_name_normalized", "display_name_normalized", "first_name", "last_name", "bot_id"), str),
}
_FILE = {
    **dict.fromkeys(("id", "name", "title", "mimetype", "filetype", "pretty_type", "user", "mode"), str),
    **dict.fromkeys(("url_private", "url_private_download", "permalink"), str),
    **dict.fromkeys(("created", "timestamp", "size"), int),
    **dict.fromkeys(("is_external", "is_public"), bool),
}

# `plan` "free" has no user groups. `who_can_edit_usergroups` is "everyone" or "admins".
WORKSPACE = TABLES.entity(
    "workspace",
    Column("team_id", Text, primary_key=True, info=id_format("T0{upper:9}")),
    Column("team", Text),
    Column("url", Text),
    Column("plan", Text),
    Column("who_can_edit_usergroups", Text),
)

# Environment variables of the servers, such as SLACK_MCP_ADD_MESSAGE_TOOL. A variable without a row imposes no limit.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

USER = TABLES.entity(
    "user",
    Column("id", Text, primary_key=True, info=id_format("U0{upper:9}")),
    Column("team_id", Text),
    Column("name", Text),
    Column("deleted", Flag),
    Column("color", Text),
    Column("real_name", Text),
    Column("tz", Text),
    Column("tz_label", Text),
    Column("tz_offset", Integer),
    Column("profile", Json, info=shape(_PROFILE)),
    Column("is_admin", Flag),
    Column("is_owner", Flag),
    Column("is_primary_owner", Flag),
    Column("is_restricted", Flag),
    Column("is_ultra_restricted", Flag),
    Column("is_bot", Flag),
    Column("is_app_user", Flag),
    Column("updated", Integer),
    Column("has_2fa", Flag),
    parents={"workspace": "team_id"},
)

# The tokens that the servers hold, as auth.test describes them: a token with a `bot_id` belongs to a bot, any other to
# a person. A token may be restricted: `valid` false (or `error`, a code other than invalid_auth), `scopes` (all its
# scopes; without it, every one), `missing_scopes`, and `ratelimited` (true, or the Web API methods that are limited).
AUTH = TABLES.entity(
    "auth",
    Column("user_id", Text, primary_key=True, info=id_format("U0{upper:9}")),
    Column("team_id", Text),
    Column("team", Text),
    Column("url", Text),
    Column("user", Text),
    Column("bot_id", Text),
    Column("valid", Flag),
    Column("error", Text),
    Column("scopes", Json, info=shape([str])),
    Column("missing_scopes", Json, info=shape([str])),
    Column("ratelimited", Json, info=shape((bool, [str]))),
    parents={"workspace": "team_id"},
)

# The workspace's custom emoji; standard emoji need no row.
EMOJI = TABLES.entity("emoji", Column("name", Text, primary_key=True), Column("url", Text))

# Channels, direct messages (`is_im`, with the other side in `user`) and group messages (`is_mpim`). `members` lists the
# members; without it, `is_member` refers to the default account. `last_read` and `unread_count` are that person's, not
# the bot's; other people's read positions are in `read_mark`.
CHANNEL = TABLES.entity(
    "channel",
    Column("id", Text, primary_key=True, info=id_format("C0{upper:9}")),
    Column("name", Text),
    Column("is_channel", Flag),
    Column("is_group", Flag),
    Column("is_im", Flag),
    Column("created", Integer),
    Column("creator", Text),
    Column("user", Text),
    Column("is_archived", Flag),
    Column("is_general", Flag),
    Column("unlinked", Integer),
    Column("name_normalized", Text),
    Column("is_shared", Flag),
    Column("is_ext_shared", Flag),
    Column("is_org_shared", Flag),
    Column("pending_shared", Json, info=shape([str])),
    Column("is_pending_ext_shared", Flag),
    Column("is_member", Flag),
    Column("is_private", Flag),
    Column("is_mpim", Flag),
    Column("updated", Integer),
    Column("topic", Json, info=shape(_TOPIC)),
    Column("purpose", Json, info=shape(_TOPIC)),
    Column("previous_names", Json, info=shape([str])),
    Column("num_members", Integer),
    Column("context_team_id", Text),
    Column("members", Json, info=shape([str])),
    Column("last_read", Text),
    Column("unread_count", Integer),
    Column("properties", Json, info=shape({"posting_restricted_to": {"type": [str], "user": [str]}})),
    Column("is_read_only", Flag),
    Column("is_thread_only", Flag),
    Column("is_non_threadable", Flag),
    parents={"workspace": "context_team_id"},
)

# Read positions of people other than the default account.
READ_MARK = TABLES.entity(
    "read_mark",
    Column("channel", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("last_read", Text),
    parents={"channel": "channel"},
)

MESSAGE = TABLES.entity(
    "message",
    Column("channel", Text, primary_key=True),
    Column("ts", Text, primary_key=True),
    Column("type", Text),
    Column("subtype", Text),
    Column("user", Text),
    Column("text", Text),
    Column("team", Text),
    Column("bot_id", Text),
    Column("app_id", Text),
    Column("username", Text),
    Column("bot_profile", Json, info=shape(_BOT)),
    Column("blocks", Json, info=shape(list)),
    Column("attachments", Json, info=shape([({"fields": [dict]}, str)])),
    Column("files", Json, info=shape([_FILE])),
    Column("edited", Json, info=shape({"user": str, "ts": str})),
    Column("thread_ts", Text),
    Column("parent_user_id", Text),
    Column("reply_count", Integer),
    Column("reply_users_count", Integer),
    Column("latest_reply", Text),
    Column("reply_users", Json, info=shape([str])),
    Column("is_locked", Flag),
    Column("reactions", Json, info=shape([{"name": str, "users": [str], "count": int}])),
    Column("pinned_to", Json, info=shape([str])),
    parents={"channel": "channel"},
)

USERGROUP = TABLES.entity(
    "usergroup",
    Column("id", Text, primary_key=True, info=id_format("S0{upper:9}")),
    Column("team_id", Text),
    Column("is_usergroup", Flag),
    Column("is_subteam", Flag),
    Column("name", Text),
    Column("description", Text),
    Column("handle", Text),
    Column("is_external", Flag),
    Column("date_create", Integer),
    Column("date_update", Integer),
    Column("date_delete", Integer),
    Column("created_by", Text),
    Column("updated_by", Text),
    Column("prefs", Json, info=shape({"channels": [str], "groups": [str]})),
    Column("users", Json, info=shape([str])),
    Column("user_count", Integer),
    parents={"workspace": "team_id"},
)

# `content` is what a download returns: the text of a text file, Base64 for other files.
FILE = TABLES.entity(
    "file",
    Column("id", Text, primary_key=True, info=id_format("F0{upper:9}")),
    Column("team_id", Text),
    Column("created", Integer),
    Column("timestamp", Integer),
    Column("name", Text),
    Column("title", Text),
    Column("mimetype", Text),
    Column("filetype", Text),
    Column("pretty_type", Text),
    Column("user", Text),
    Column("size", Integer),
    Column("mode", Text),
    Column("is_external", Flag),
    Column("is_public", Flag),
    Column("url_private", Text),
    Column("url_private_download", Text),
    Column("permalink", Text),
    Column("channels", Json, info=shape([str])),
    Column("content", Text),
    parents={"workspace": "team_id"},
)

MEANING = Meaning(
    automatic={
        "message": frozenset(
            {
                "reply_count",
                "reply_users_count",
                "latest_reply",
                "reply_users",
                "is_locked",
                "bot_profile",
                "blocks",
                "edited",
            }
        ),
        "channel": frozenset({"updated", "num_members", "last_read", "unread_count"}),
        "usergroup": frozenset({"date_update", "updated_by", "user_count"}),
    },
    bookkeeping=frozenset({"read_mark"}),
    outward=frozenset({"message"}),
    text={
        "message": lambda row: row.get("text") or "",
        "channel": lambda row: row.get("name") or "",
        "usergroup": lambda row: row.get("name") or "",
    },
)
