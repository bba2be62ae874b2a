"""Instagram's entities, with the field names of the Graph API.

Columns that the API does not have say what only a session can know: by when a container is processed, what an address of the web
holds, in which order things of the same second came to be (`serial`).
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("instagram")

_USER = {"id": str, "username": str}
_CHILD = dict.fromkeys(("id", "media_type", "media_url", "permalink", "timestamp", "thumbnail_url"), str)
_VALUE = {"value": (int, float, dict, None), "end_time": str}
_TOTAL = {"value": (int, float, dict, None), "breakdowns": [dict]}

# What the server is set to, in one row. `messaging_window_hours` and `story_hours` are Instagram's 24, counted by the session's
# clock; without them a conversation's window is what its `window_closed` says, and every story is shown: recorded states, which
# carry no clock, are told that way. `quota_total` is 50 when it is left out.
SETTINGS = TABLES.entity(
    "settings",
    Column("name", Text, primary_key=True, info=id_format("settings")),
    Column("messaging_window_hours", Integer),
    Column("story_hours", Integer),
    Column("quota_total", Integer),
)

# `page_id` is the Facebook page that the account belongs to. `account_type` is PERSONAL for accounts that nobody can look up;
# without it an account is a professional one.
IG_USER = TABLES.entity(
    "ig_user",
    Column("id", Text, primary_key=True, info=id_format("178414{digits:11}")),
    Column("username", Text),
    Column("name", Text),
    Column("website", Text),
    Column("biography", Text),
    Column("profile_picture_url", Text),
    Column("followers_count", Integer),
    Column("follows_count", Integer),
    Column("media_count", Integer),
    Column("page_id", Text),
    Column("account_type", Text),
)

# The server's login. `account` is "own" for the account which the state itself gives, which `ig_user_id` names (without it, the
# first `ig_user`), and the id of another person who acts. Where `page_linked` is false the login has no Facebook page.
SESSION = TABLES.entity(
    "session",
    Column("account", Text, primary_key=True, info=id_format("own")),
    Column("ig_user_id", Text),
    Column("access_token_valid", Flag),
    Column("page_linked", Flag),
)

# Posts published in the last 24 hours by other means than the session's own containers; `account` as in `session`.
QUOTA_USAGE = TABLES.entity(
    "quota_usage",
    Column("account", Text, primary_key=True, info=id_format("own")),
    Column("n", Integer),
)

# `ready_at` is when an IN_PROGRESS container is processed, `fails` whether it then turns to ERROR. A container of a recorded
# state has neither these nor `created_at`, and stays what its `status_code` says.
CONTAINER = TABLES.entity(
    "container",
    Column("id", Text, primary_key=True, info=id_format("178{digits:14}")),
    Column("owner", Text),
    Column("status_code", Text),
    Column("media_type", Text),
    Column("image_url", Text),
    Column("video_url", Text),
    Column("caption", Text),
    Column("children", Json, info=shape([str])),
    Column("is_carousel_item", Flag),
    Column("content_type", Text),
    Column("cover_url", Text),
    Column("location_id", Text),
    Column("user_tags", Json, info=shape([{"username": str}])),
    Column("thumb_offset", Integer),
    Column("share_to_feed", Flag),
    Column("audio_name", Text),
    Column("collaborators", Json, info=shape([str])),
    Column("created_at", Text),
    Column("ready_at", Text),
    Column("fails", Flag),
    Column("published_at", Text),
    parents={"ig_user": "owner"},
)

# `children_objs` are the photos and videos of a carousel; `user_tags` the accounts tagged in it. `figures` are insights by
# metric, for posts of which no `insight` row says more.
MEDIA = TABLES.entity(
    "media",
    Column("id", Text, primary_key=True, info=id_format("17{digits:15}")),
    Column("owner", Text),
    Column("username", Text),
    Column("caption", Text),
    Column("media_type", Text),
    Column("media_product_type", Text),
    Column("media_url", Text),
    Column("thumbnail_url", Text),
    Column("permalink", Text),
    Column("shortcode", Text),
    Column("timestamp", Text),
    Column("like_count", Integer),
    Column("comments_count", Integer),
    Column("children_objs", Json, info=shape([_CHILD])),
    Column("user_tags", Json, info=shape([{"username": str}])),
    Column("alt_text", Text),
    Column("is_comment_enabled", Flag),
    Column("is_shared_to_feed", Flag),
    Column("figures", Json, info=shape({...: (int, float)})),
    Column("serial", Integer),
    parents={"ig_user": "owner"},
)

COMMENT = TABLES.entity(
    "comment",
    Column("id", Text, primary_key=True, info=id_format("178{digits:14}")),
    Column("media_id", Text),
    Column("parent_id", Text),
    Column("text", Text),
    Column("username", Text),
    Column("timestamp", Text),
    Column("like_count", Integer),
    Column("hidden", Flag),
    Column("from", Json, info=shape(_USER)),
    Column("media", Json, info=shape({"id": str})),
    parents={"media": "media_id"},
)

# `window_closed` says that the last message of the other side is too old to be answered. `seen_at` is when somebody marked the
# conversation as seen, by the account that did.
CONVERSATION = TABLES.entity(
    "conversation",
    Column("id", Text, primary_key=True, info=id_format("aWdfZAG06MTpJR01lc3NhZA2VUaHJlYWQ6MTc4NDE0{alnum:28}")),
    Column("updated_time", Text),
    Column("participants", Json, info=shape({"data": [_USER]})),
    Column("window_closed", Flag),
    Column("seen_at", Json, info=shape({...: str})),
    Column("serial", Integer),
)

MESSAGE = TABLES.entity(
    "message",
    Column("id", Text, primary_key=True, info=id_format("aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOjE3ODQx{digits:17}")),
    Column("conversation_id", Text),
    Column("message", Text),
    Column("from", Json, info=shape(_USER)),
    Column("created_time", Text),
    Column("attachments", Json, info=shape({"data": [dict]})),
    Column("reply_to", Json, info=shape({"mid": str})),
    Column("serial", Integer),
    parents={"conversation": "conversation_id"},
)

# Figures of an account or a post; `id` is `<id of either>/insights/<name>/<period>`.
INSIGHT = TABLES.entity(
    "insight",
    Column("id", Text, primary_key=True),
    Column("name", Text),
    Column("period", Text),
    Column("values", Json, info=shape([_VALUE])),
    Column("total_value", Json, info=shape(_TOTAL)),
    Column("title", Text),
    Column("description", Text),
)

# What an address of the web holds, for containers that are made of it: `size` in bytes. An address without a row is judged by its
# own look. `unreadable` is a video that Instagram fetches and cannot process.
REMOTE_FILE = TABLES.entity(
    "remote_file",
    Column("url", Text, primary_key=True),
    Column("content_type", Text),
    Column("size", Integer),
    Column("width", Integer),
    Column("height", Integer),
    Column("unreadable", Flag),
)

MEANING = Meaning(
    automatic={
        "ig_user": frozenset({"media_count", "followers_count", "follows_count"}),
        "container": frozenset({"status_code", "created_at", "ready_at", "published_at"}),
        "media": frozenset(
            {
                "media_url",
                "thumbnail_url",
                "permalink",
                "shortcode",
                "timestamp",
                "like_count",
                "comments_count",
                "serial",
            }
        )
        | {f"children_objs.*.{name}" for name in ("id", "media_url", "permalink", "timestamp")},
        "comment": frozenset({"timestamp", "like_count"}),
        "conversation": frozenset({"updated_time", "serial", "seen_at"}),
        "message": frozenset({"created_time", "serial"}),
    },
    bookkeeping=frozenset({"settings", "session", "quota_usage", "insight", "remote_file"}),
    outward=frozenset({"media", "comment", "message"}),
    text={
        "media": lambda row: row.get("caption") or "",
        "container": lambda row: row.get("caption") or "",
        "comment": lambda row: row.get("text") or "",
        "message": lambda row: row.get("message") or "",
        "ig_user": lambda row: "\n".join(row[name] for name in ("name", "biography") if row.get(name)),
    },
)
