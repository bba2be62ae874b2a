"""The group robot of WeCom (企业微信), with the field names of its webhook. Files to upload are on the session's disk."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("wecom", disk=True)
TABLES.disk_view("local_file", text="content")

# The first robot is the server's (WECOM_BOT_WEBHOOK_KEY). `group` is its only chat, `removed` means that it was removed from
# the chat, and `ratelimited` that it has sent too many messages. `webhook_path` is the path of the process's next request,
# "send" or "upload_media".
WEBHOOK_ROBOT = TABLES.entity(
    "webhook_robot",
    Column("key", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("name", Text),
    Column("group", Text),
    Column("removed", Flag),
    Column("ratelimited", Flag),
    Column("webhook_path", Text),
)

# The members of the robot's group, for display only: the webhook does not expose them.
GROUP_MEMBER = TABLES.entity(
    "group_member",
    Column("robot_key", Text, primary_key=True),
    Column("userid", Text, primary_key=True),
    Column("name", Text),
    Column("mobile", Text),
    Column("position", Text),
    parents={"webhook_robot": "robot_key"},
)

# The webhook returns no message ids; this one is internal. `created_at` is in seconds.
MESSAGE = TABLES.entity(
    "message",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("robot_key", Text),
    Column("created_at", Integer),
    Column("msgtype", Text),
    Column("content", Text),
    Column("mentioned_list", Json, info=shape([str])),
    Column("mentioned_mobile_list", Json, info=shape([str])),
    Column("image", Json, info=shape({"base64": str, "md5": str})),
    Column("articles", Json, info=shape([dict.fromkeys(("title", "description", "url", "picurl"), str)])),
    parents={"webhook_robot": "robot_key"},
)

# Uploaded files, valid for three days. No tool of the server sends them.
FILE = TABLES.entity(
    "file",
    Column("media_id", Text, primary_key=True, info=id_format("3{base64url:43}")),
    Column("robot_key", Text),
    Column("type", Text),
    Column("file_path", Text),
    Column("size", Integer),
    Column("created_at", Text),
    parents={"webhook_robot": "robot_key"},
)

MEANING = Meaning(
    automatic={
        "message": frozenset({"created_at"}),
        "file": frozenset({"created_at", "size"}),
        "webhook_robot": frozenset({"webhook_path"}),
    },
    outward=frozenset({"message"}),
    text={
        "message": lambda row: row.get("content") or " ".join(a.get("title", "") for a in row.get("articles") or []),
        "group_member": lambda row: row.get("name") or "",
        "file": lambda row: row.get("file_path") or "",
        "webhook_robot": lambda row: row.get("group") or "",
    },
)
