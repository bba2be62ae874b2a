"""Discord's entities, with the field names of its API v10.

Ids are snowflakes: texts that hold a number, which contains the creation time. Reactions are stored where the API shows
them, inside their message; `me` marks the bot's own.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("discord")

_ID = id_format("1{digits:18}")
_COLORS = dict.fromkeys(("primary_color", "secondary_color", "tertiary_color"), (int, None))
_OVERWRITE = {"id": str, "type": int, "allow": str, "deny": str}
_REACTION = {"count": int, "me": bool, "emoji": {"id": (str, None), "name": (str, None), "animated": bool}}

# Restrictions of the bot, whatever its roles allow: denied permissions, or a lower highest role.
BOT_PERMISSIONS = TABLES.entity(
    "bot_permissions",
    Column("id", Text, primary_key=True, info=id_format("bot")),
    Column("view_channel", Flag),
    Column("manage_channels", Flag),
    Column("send_messages", Flag),
    Column("read_message_history", Flag),
    Column("manage_messages", Flag),
    Column("add_reactions", Flag),
    Column("manage_roles", Flag),
    Column("top_role_position", Integer),
)

# The package versions of the server: `generation` "locked" means those of its uv.lock, any other value the current
# ones.
SERVER = TABLES.entity(
    "server", Column("id", Text, primary_key=True, info=id_format("server")), Column("generation", Text)
)

USER = TABLES.entity(
    "user",
    Column("id", Text, primary_key=True, info=_ID),
    Column("username", Text),
    Column("discriminator", Text),
    Column("global_name", Text),
    Column("avatar", Text),
    Column("bot", Flag),
    Column("public_flags", Integer),
)

# The bot account whose token the server holds (DISCORD_TOKEN). With a row, Discord computes its permissions from roles
# and overwrites; recorded states have no row and list denied permissions in `bot_permissions`. `ready` false means that
# it never signed in.
BOT = TABLES.entity("bot", Column("user_id", Text, primary_key=True, info=_ID), Column("ready", Flag))

GUILD = TABLES.entity(
    "guild",
    Column("id", Text, primary_key=True, info=_ID),
    Column("name", Text),
    Column("owner_id", Text),
    Column("description", Text),
    Column("icon", Text),
    Column("premium_tier", Integer),
    Column("explicit_content_filter", Integer),
    Column("approximate_member_count", Integer),
    Column("rules_channel_id", Text),
    Column("public_updates_channel_id", Text),
)

# The role @everyone has the guild's id.
ROLE = TABLES.entity(
    "role",
    Column("id", Text, primary_key=True, info=_ID),
    Column("guild_id", Text),
    Column("name", Text),
    Column("position", Integer),
    Column("permissions", Text),
    Column("color", Integer),
    Column("colors", Json, info=shape(_COLORS)),
    Column("hoist", Flag),
    Column("icon", Text),
    Column("unicode_emoji", Text),
    Column("managed", Flag),
    Column("mentionable", Flag),
    Column("flags", Integer),
    parents={"guild": "guild_id"},
)

MEMBER = TABLES.entity(
    "member",
    Column("guild_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("nick", Text),
    Column("roles", Json, info=shape([str])),
    Column("joined_at", Text),
    Column("communication_disabled_until", Text),
    parents={"guild": "guild_id"},
)

# Custom emoji. If the state lists none, any `name:id` is accepted.
EMOJI = TABLES.entity(
    "emoji",
    Column("id", Text, primary_key=True, info=_ID),
    Column("guild_id", Text),
    Column("name", Text),
    Column("animated", Flag),
    parents={"guild": "guild_id"},
)

# `type`: 0 text, 1 direct message, 2 voice, 4 category, 5 announcement, 10 to 12 threads, 13 stage, 15 forum, 16 media.
# `parent_id` is the category, or the channel of a thread. `no_access` hides a channel from the bot, whatever its roles
# allow.
CHANNEL = TABLES.entity(
    "channel",
    Column("id", Text, primary_key=True, info=_ID),
    Column("guild_id", Text),
    Column("type", Integer),
    Column("name", Text),
    Column("topic", Text),
    Column("parent_id", Text),
    Column("position", Integer),
    Column("permission_overwrites", Json, info=shape([_OVERWRITE])),
    Column("nsfw", Flag),
    Column("rate_limit_per_user", Integer),
    Column("owner_id", Text),
    Column("no_access", Flag),
    parents={"guild": "guild_id"},
)

MESSAGE = TABLES.entity(
    "message",
    Column("id", Text, primary_key=True, info=_ID),
    Column("channel_id", Text),
    Column("author_id", Text),
    Column("type", Integer),
    Column("content", Text),
    Column("timestamp", Text),
    Column("edited_timestamp", Text),
    Column("pinned", Flag),
    Column("reactions", Json, info=shape([_REACTION])),
    parents={"channel": "channel_id"},
)

# The audit log that Discord shows to a server's moderators; `reason` is set by the tools.
AUDIT_LOG_ENTRY = TABLES.entity(
    "audit_log_entry",
    Column("id", Text, primary_key=True, info=_ID),
    Column("guild_id", Text),
    Column("user_id", Text),
    Column("action_type", Integer),
    Column("target_id", Text),
    Column("reason", Text),
    parents={"guild": "guild_id"},
)

MEANING = Meaning(
    automatic={
        "message": frozenset({"timestamp", "edited_timestamp"}),
        "channel": frozenset({"position"}),
        "guild": frozenset({"approximate_member_count"}),
    },
    bookkeeping=frozenset({"audit_log_entry", "bot", "bot_permissions", "server"}),
    outward=frozenset({"message"}),
    text={
        "message": lambda row: row.get("content") or "",
        "channel": lambda row: " ".join(filter(None, (row.get("name"), row.get("topic")))),
        "guild": lambda row: " ".join(filter(None, (row.get("name"), row.get("description")))),
        "role": lambda row: row.get("name") or "",
        "user": lambda row: row.get("username") or "",
    },
)
