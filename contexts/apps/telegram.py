"""Telegram's entities as one person's account sees them, with the field names of the Bot API and Telethon.

Ids of chats are marked as in Telethon: a user's id is positive, a basic group's is `-<id>`, a supergroup's or channel's
`-100<id>`. A private chat has no row: its `chat_id` is the other person's id.

Data of the default account (dialogs, drafts, folders, contacts and so on) has its own entities; the same data of other
acting people is stored in rows of `personal`.
"""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("telegram", disk=True)

_MARKUP = {"type": str, "offset": int, "length": int, "url": str, "user_id": int, "document_id": int}
_FORWARD = {"from_id": int, "from_name": str, "date": str, "channel_post": int, "post_author": str}
_POLL = {
    **dict.fromkeys(("question", "close_date"), str),
    **dict.fromkeys(("multiple_choice", "quiz", "public_voters"), bool),
    "options": [str],
}
_CARD = {"phone_number": str, "first_name": str, "last_name": str, "vcard": str}
_STATUS = {"type": str, "was_online": str, "expires": str}

# The accounts that the server is configured for, by label. Without rows there is one, `default`.
ACCOUNT = TABLES.entity("account", Column("label", Text, primary_key=True))

# The environment of the server (TELEGRAM_CONTACT_FUZZY, TELEGRAM_EVENT_FEED_FILE …); `roots` holds the folders that its
# command line allows, one per line.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

# `self` marks the account's own user, `account` the configured label that it belongs to. `contact`, `mutual_contact`
# and `blocked` refer to that account; `privacy_no_invites` means that the user cannot be added to groups.
USER = TABLES.entity(
    "user",
    Column("id", Integer, primary_key=True),
    Column("self", Flag),
    Column("account", Text),
    Column("first_name", Text),
    Column("last_name", Text),
    Column("username", Text),
    Column("phone", Text),
    Column("contact", Flag),
    Column("mutual_contact", Flag),
    Column("blocked", Flag),
    Column("bot", Flag),
    Column("verified", Flag),
    Column("premium", Flag),
    Column("privacy_no_invites", Flag),
    Column("about", Text),
    Column("status", Json, info=shape(_STATUS)),
    Column("birthday", Json, info=shape({"day": int, "month": int, "year": int})),
    Column("personal_channel_id", Integer),
)

# `type` is group (a basic group), supergroup or channel. `creator` and `admin` refer to the default account; other
# admins have an `admin_right` row, another creator is `creator_id`. `participants` are user ids and may be incomplete;
# `participants_count` is the total.
CHAT = TABLES.entity(
    "chat",
    Column("id", Integer, primary_key=True),
    Column("type", Text),
    Column("title", Text),
    Column("username", Text),
    Column("participants", Json, info=shape([int])),
    Column("participants_count", Integer),
    Column("creator", Flag),
    Column("creator_id", Integer),
    Column("admin", Flag),
    Column("read_only", Flag),
    Column("private", Flag),
    Column("forum", Flag),
    Column("about", Text),
    Column("linked_chat_id", Integer),
    Column("slow_mode_seconds", Integer),
    Column("photo", Flag),
    Column("verified", Flag),
    Column("date", Text),
)

# `sender_id` of an unsigned channel post is the channel's own id. `too_old` messages no longer have read receipts.
# `owner_id` is set only in private chats between two people other than the default account: `chat_id` is the one,
# `owner_id` the other.
MESSAGE = TABLES.entity(
    "message",
    Column("chat_id", Integer, primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("sender_id", Integer),
    Column("owner_id", Integer),
    Column("text", Text),
    Column("entities", Json, info=shape([_MARKUP])),
    Column("date", Text),
    Column("edit_date", Text),
    Column("reply_to_msg_id", Integer),
    Column("quote_text", Text),
    Column("quote_offset", Integer),
    Column("topic_id", Integer),
    Column("grouped_id", Integer),
    Column("fwd_from", Json, info=shape(_FORWARD)),
    Column("via_bot_id", Integer),
    Column("pinned", Flag),
    Column("views", Integer),
    Column("forwards", Integer),
    Column("replies", Integer),
    Column("action", Text),
    Column("ttl_period", Integer),
    Column("poll", Json, info=shape(_POLL)),
    Column("contact", Json, info=shape(_CARD)),
    Column("too_old", Flag),
    parents={"chat": "chat_id"},
)

# A chat in the list of the default account. `date` is when it moved to the top, if that happened in this session or the
# world states it; dialogs with a date precede the others, newest first.
DIALOG = TABLES.entity(
    "dialog",
    Column("chat_id", Integer, primary_key=True),
    Column("unread_count", Integer),
    Column("unread_mentions_count", Integer),
    Column("unread_mark", Flag),
    Column("muted", Flag),
    Column("archived", Flag),
    Column("date", Text),
    parents={"chat": "chat_id"},
)

# Nicknames in the server's alias file, normalised; `id` is marked, `account` is the label it was saved with.
CONTACT_ALIAS = TABLES.entity(
    "contact_alias",
    Column("alias", Text, primary_key=True),
    Column("id", Integer),
    Column("name", Text),
    Column("account", Text),
)

TOPIC = TABLES.entity(
    "topic",
    Column("chat_id", Integer, primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("title", Text),
    Column("unread_count", Integer),
    Column("total_messages", Integer),
    Column("closed", Flag),
    Column("hidden", Flag),
    Column("icon_color", Integer),
    Column("icon_emoji_id", Integer),
    Column("top_message_id", Integer),
    parents={"chat": "chat_id"},
)

# Chat folders (dialog filters) in their order, which is `position` after the first reordering.
FOLDER = TABLES.entity(
    "folder",
    Column("id", Integer, primary_key=True),
    Column("title", Text),
    Column("emoticon", Text),
    Column("shared", Flag),
    Column("include_chat_ids", Json, info=shape([int])),
    Column("exclude_chat_ids", Json, info=shape([int])),
    Column("pinned_chat_ids", Json, info=shape([int])),
    Column("contacts", Flag),
    Column("non_contacts", Flag),
    Column("groups", Flag),
    Column("broadcasts", Flag),
    Column("bots", Flag),
    Column("exclude_muted", Flag),
    Column("exclude_read", Flag),
    Column("exclude_archived", Flag),
    Column("position", Integer),
)

DRAFT = TABLES.entity(
    "draft",
    Column("chat_id", Integer, primary_key=True),
    Column("message", Text),
    Column("date", Text),
    Column("no_webpage", Flag),
    Column("reply_to_msg_id", Integer),
    parents={"chat": "chat_id"},
)

# Scheduled messages have ids separate from those of sent messages.
SCHEDULED_MESSAGE = TABLES.entity(
    "scheduled_message",
    Column("chat_id", Integer, primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("text", Text),
    Column("date", Text),
    parents={"chat": "chat_id"},
)

# A custom emoji has a `document_id` instead of `emoji`.
REACTION = TABLES.entity(
    "reaction",
    Column("chat_id", Integer, primary_key=True),
    Column("message_id", Integer, primary_key=True),
    Column("user_id", Integer, primary_key=True),
    Column("emoji", Text),
    Column("document_id", Integer),
    Column("date", Text),
    parents={"message": ("chat_id", "message_id")},
)

READ_RECEIPT = TABLES.entity(
    "read_receipt",
    Column("chat_id", Integer, primary_key=True),
    Column("message_id", Integer, primary_key=True),
    Column("user_id", Integer, primary_key=True),
    Column("date", Text),
    parents={"message": ("chat_id", "message_id")},
)

# Inline buttons; `index` counts across all rows of the keyboard. A callback button has `data` and the bot's reaction:
# `answer`, `alert`, or `no_answer`, which lets the request time out.
BUTTON = TABLES.entity(
    "button",
    Column("chat_id", Integer, primary_key=True),
    Column("message_id", Integer, primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("row", Integer),
    Column("text", Text),
    Column("data", Text),
    Column("url", Text),
    Column("answer", Text),
    Column("alert", Flag),
    Column("no_answer", Flag),
    parents={"message": ("chat_id", "message_id")},
)

# An attachment of a message: `kind` is photo, document, gif, sticker, voice, video or audio. `file_path` is the file on
# the session's disk that it was sent from.
MEDIA = TABLES.entity(
    "media",
    Column("chat_id", Integer, primary_key=True),
    Column("message_id", Integer, primary_key=True),
    Column("kind", Text),
    Column("id", Integer),
    Column("file_name", Text),
    Column("mime_type", Text),
    Column("size", Integer),
    Column("width", Integer),
    Column("height", Integer),
    Column("alt", Text),
    Column("date", Text),
    Column("file_path", Text),
    parents={"message": ("chat_id", "message_id")},
)

# An admin of a chat and, if set individually, the `rights`. Without them the admin has all rights except `add_admins`
# and `anonymous`.
ADMIN_RIGHT = TABLES.entity(
    "admin_right",
    Column("chat_id", Integer, primary_key=True),
    Column("user_id", Integer, primary_key=True),
    Column("rank", Text),
    Column("promoted_by", Integer),
    Column("rights", Json, info=shape({...: bool})),
    parents={"chat": "chat_id"},
)

BANNED_USER = TABLES.entity(
    "banned_user",
    Column("chat_id", Integer, primary_key=True),
    Column("user_id", Integer, primary_key=True),
    Column("date", Text),
    parents={"chat": "chat_id"},
)

# The permissions of ordinary members of a chat; true means allowed.
DEFAULT_PERMISSION = TABLES.entity(
    "default_permission",
    Column("chat_id", Integer, primary_key=True),
    Column("send_messages", Flag),
    Column("send_media", Flag),
    Column("send_stickers", Flag),
    Column("send_gifs", Flag),
    Column("send_games", Flag),
    Column("send_inline", Flag),
    Column("embed_links", Flag),
    Column("send_polls", Flag),
    Column("change_info", Flag),
    Column("invite_users", Flag),
    Column("pin_messages", Flag),
    Column("until_date", Integer),
    parents={"chat": "chat_id"},
)

ADMIN_EVENT = TABLES.entity(
    "admin_event",
    Column("id", Integer, primary_key=True),
    Column("chat_id", Integer),
    Column("user_id", Integer),
    Column("date", Text),
    Column("action", Text),
    Column("prev_value", Text),
    Column("new_value", Text),
    parents={"chat": "chat_id"},
)

INVITE_LINK = TABLES.entity(
    "invite_link",
    Column("hash", Text, primary_key=True, info=id_format("{alnum:16}")),
    Column("chat_id", Integer),
    Column("link", Text),
    Column("expired", Flag),
    Column("request_needed", Flag),
    Column("full", Flag),
    Column("date", Text),
    parents={"chat": "chat_id"},
)

PROFILE_PHOTO = TABLES.entity(
    "profile_photo",
    Column("id", Integer, primary_key=True),
    Column("user_id", Integer),
    Column("date", Text),
    parents={"user": "user_id"},
)

# The visibility of a property of the account, rule by rule in their order: `key` is status, phone or profile_photo,
# `value` is allow_all, disallow_all, allow_contacts, allow_users or disallow_users.
PRIVACY_RULE = TABLES.entity(
    "privacy_rule",
    Column("key", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("user_ids", Json, info=shape([int])),
)

STICKER_SET = TABLES.entity(
    "sticker_set",
    Column("id", Integer, primary_key=True),
    Column("title", Text),
    Column("short_name", Text),
    Column("count", Integer),
)

BOT_COMMAND = TABLES.entity(
    "bot_command",
    Column("command", Text, primary_key=True),
    Column("description", Text),
    Column("user_id", Integer),
    parents={"user": "user_id"},
)

# The MCP client's response to roots/list: `status` is ready, empty, unsupported or error. Without a row it is
# `unsupported`.
MCP_ROOTS = TABLES.entity(
    "mcp_roots", Column("status", Text, primary_key=True), Column("paths", Json, info=shape([str]))
)

# Files that the tools read and write are on the session's disk.
TABLES.disk_view("file")

# Private messages that arrived while the server ran and were not read by a tool yet; `wait_for_*` and the feed read
# them. `seconds_ago` is the age at the call, if a recorded state gives it; `date` is the arrival in this session.
INCOMING_MESSAGE = TABLES.entity(
    "incoming_message",
    Column("chat_id", Integer, primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("sender_id", Integer),
    Column("text", Text),
    Column("seconds_ago", REAL),
    Column("date", Text),
)

INCOMING_FEED = TABLES.entity(
    "incoming_feed",
    Column("enabled", Flag, primary_key=True),
    Column("settle_ms", Integer),
)

# Data of people other than the default account: `kind` names the entity, `key` the row, and `value` is the row as that
# entity would store it. A user's `contact`, `mutual_contact` and `blocked` have the kind `user`.
PERSONAL = TABLES.entity(
    "personal",
    Column("user_id", Integer, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Json, info=shape(dict)),
    parents={"user": "user_id"},
)

MEANING = Meaning(
    automatic={
        "message": frozenset({"edit_date", "entities", "views", "forwards", "owner_id"}),
        "dialog": frozenset({"unread_count", "unread_mentions_count", "unread_mark", "date"}),
        "draft": frozenset({"date"}),
        "reaction": frozenset({"date"}),
        "chat": frozenset({"date"}),
        "contact_alias": frozenset({"name", "account"}),
        "admin_right": frozenset({"promoted_by"}),
        "banned_user": frozenset({"date"}),
        "topic": frozenset({"top_message_id", "total_messages"}),
        "invite_link": frozenset({"date"}),
        "profile_photo": frozenset({"date"}),
    },
    bookkeeping=frozenset({"admin_event", "incoming_message", "personal", "read_receipt"}),
    outward=frozenset({"message"}),
    text={
        "message": lambda row: row.get("text") or "",
        "chat": lambda row: row.get("title") or "",
        "draft": lambda row: row.get("message") or "",
        "folder": lambda row: row.get("title") or "",
        "scheduled_message": lambda row: row.get("text") or "",
        "topic": lambda row: row.get("title") or "",
        "user": lambda row: " ".join(filter(None, (row.get("first_name"), row.get("last_name")))),
    },
)
