"""Instagram's entities, with the field names of the Graph API.

Columns that the API lacks hold what only a session needs: when a container is processed, the content of a web address,
the order of things created in the same second (`serial`).
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

# Settings of the server, in one row. `messaging_window_hours` and `story_hours` are Instagram's 24 hours on the
# session's clock. Recorded states have no clock and leave them out: then `window_closed` decides about a conversation
# and every story is shown. `quota_total` defaults to 50.
SETTINGS = TABLES.entity(
    "settings",
    Column("name", Text, primary_key=True, info=id_format("settings")),
    Column("messaging_window_hours", Integer),
    Column("story_hours", Integer),
    Column("quota_total", Integer),
)

# `page_id` is the Facebook page of the account. `account_type` is PERSONAL for accounts that cannot be looked up, and
# absent for professional accounts.
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

# The server's login. `account` is "own" for the default account, which `ig_user_id` names (by default the first
# `ig_user`), or the id of another acting person. If `page_linked` is false, the login has no Facebook page.
SESSION = TABLES.entity(
    "session",
    Column("account", Text, primary_key=True, info=id_format("own")),
    Column("ig_user_id", Text),
    Column("access_token_valid", Flag),
    Column("page_linked", Flag),
)

# Posts published in the last 24 hours by other means than the session's containers; `account` as in `session`.
QUOTA_USAGE = TABLES.entity(
    "quota_usage",
    Column("account", Text, primary_key=True, info=id_format("own")),
    Column("n", Integer),
)

# An IN_PROGRESS container is processed at `ready_at` and turns to ERROR if `fails` is true. A container of a recorded
# state has neither column and no `created_at`; its `status_code` never changes.
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

# `children_objs` are the photos and videos of a carousel, `user_tags` the accounts tagged in it. `figures` are insights
# by metric for posts without `insight` rows.
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

# `window_closed` means that the other side's last message is too old for a reply. `seen_at` is when an account marked
# the conversation as seen, by account.
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

# Insights of an account or a post; `id` is `<account or post id>/insights/<name>/<period>`.
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

# The content of a web address, for containers made from it; `size` is in bytes. An address without a row is judged by
# its form. Instagram can fetch an `unreadable` video but not process it.
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
