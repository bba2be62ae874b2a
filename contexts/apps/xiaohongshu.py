"""Rednote's entities, with the field names of its web pages' state (`window.__INITIAL_STATE__`)."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("xiaohongshu")

_PERSON = {"userId": str, "nickname": str, "nickName": str, "avatar": str, "xsecToken": str}
_SENDER = {"userid": str, "nickname": str, "xsecToken": str}
_ILLEGAL = {"illegalStatus": str}
_PICTURE = {"width": int, "height": int, "urlDefault": str, "urlPre": str, "livePhoto": bool}
_COUNTS = {
    **dict.fromkeys(("liked", "collected"), bool),
    **dict.fromkeys(("likedCount", "sharedCount", "commentCount", "collectedCount"), str),
}
_ABOUT = {**dict.fromkeys(("nickname", "desc", "redId", "ipLocation", "images", "imageb"), str), "gender": int}
_REPLY = {
    **dict.fromkeys(("id", "noteId", "content", "likeCount", "ipLocation", "subCommentCount"), str),
    "createTime": int,
    "liked": bool,
    "userInfo": _PERSON,
    "subComments": [dict],
    "showTags": [str],
}

_ID = id_format("{hex:8}00000000{hex:8}")

# The server's browser session lives in its cookie file, so the file name is the key; objects without one get the
# default. `account` is the userId of another acting person, who has a separate server. `restricted` marks a muted
# account: it can sign in, but its actions have no effect. `qrId` and `qrExpiresAt` (ms) describe the login code that
# waits for a scan.
SESSION = TABLES.entity(
    "session",
    Column("cookie_path", Text, primary_key=True, info=id_format("cookies.json")),
    Column("logged_in", Flag),
    Column("nickname", Text),
    Column("userId", Text),
    Column("restricted", Flag),
    Column("account", Text),
    Column("qrId", Text),
    Column("qrExpiresAt", Integer),
)

# `extraInfo.fstatus` is the relation between the signed-in account and this user: follows, fans, both or none.
USER = TABLES.entity(
    "user",
    Column("userId", Text, primary_key=True, info=_ID),
    Column("basicInfo", Json, info=shape(_ABOUT)),
    Column("interactions", Json, info=shape([{"type": str, "name": str, "count": str}])),
    Column("extraInfo", Json, info=shape({"fstatus": str})),
)

# `liked` and `collected` in `interactInfo` are marks of the default account. The columns from `visibility` on hold the
# values of the publishing tools; `uploads` are the files and addresses of the note's pictures or video.
NOTE = TABLES.entity(
    "note",
    Column("noteId", Text, primary_key=True, info=_ID),
    Column("xsecToken", Text, info=id_format("AB{base64url:43}=")),
    Column("modelType", Text),
    Column("title", Text),
    Column("desc", Text),
    Column("type", Text),
    Column("time", Integer),
    Column("ipLocation", Text),
    Column("user", Json, info=shape(_PERSON)),
    Column("interactInfo", Json, info=shape(_COUNTS)),
    Column("imageList", Json, info=shape([_PICTURE])),
    Column("video", Json, info=shape({"capa": {"duration": int}, "media": dict})),
    Column("tagList", Json, info=shape([{"id": str, "name": str, "type": str}])),
    Column("visibility", Text),
    Column("scheduledTime", Integer),
    Column("isOriginal", Flag),
    Column("products", Json, info=shape([{"id": str, "name": str}])),
    Column("uploads", Json, info=shape([str])),
)

# Likes and favourites of people other than the default account; `target` is a noteId or a comment's id.
MARK = TABLES.entity(
    "mark",
    Column("userId", Text, primary_key=True),
    Column("target", Text, primary_key=True),
    Column("liked", Flag),
    Column("collected", Flag),
)

# A top-level comment has no `rootCommentId`. Recorded states store replies in the `subComments` of their comment;
# replies written here are separate rows below the top-level comment `rootCommentId`, in answer to `targetCommentId`.
COMMENT = TABLES.entity(
    "comment",
    Column("id", Text, primary_key=True, info=_ID),
    Column("noteId", Text),
    Column("rootCommentId", Text),
    Column("targetCommentId", Text),
    Column("content", Text),
    Column("likeCount", Text),
    Column("createTime", Integer),
    Column("ipLocation", Text),
    Column("liked", Flag),
    Column("userInfo", Json, info=shape(_PERSON)),
    Column("subCommentCount", Text),
    Column("subComments", Json, info=shape([_REPLY])),
    Column("showTags", Json, info=shape([str])),
    parents={"note": "noteId"},
)

NOTIFICATION = TABLES.entity(
    "notification",
    Column("id", Text, primary_key=True, info=id_format("{digits:19}")),
    Column("cookie_path", Text),
    Column("tab", Text),
    Column("type", Text),
    Column("title", Text),
    Column("time", Integer),
    Column("userInfo", Json, info=shape(_SENDER)),
    Column("user", Json, info=shape(_SENDER)),
    Column("commentInfo", Json, info=shape({"id": str, "content": str, "liked": bool, "illegalInfo": _ILLEGAL})),
    Column(
        "itemInfo",
        Json,
        info=shape({"id": str, "type": str, "content": str, "xsecToken": str, "illegalInfo": _ILLEGAL}),
    ),
    parents={"session": "cookie_path"},
)

UNREAD = TABLES.entity(
    "unread",
    Column("cookie_path", Text, primary_key=True, info=id_format("cookies.json")),
    Column("mentions", Integer),
    Column("likes", Integer),
    Column("connections", Integer),
    Column("unreadCount", Integer),
    parents={"session": "cookie_path"},
)

# Files that the server can read: local ones by absolute path, and pictures on the web by address. `status` is the HTTP
# status of an address that does not return 200.
FILE = TABLES.entity("file", Column("path", Text, primary_key=True), Column("status", Integer))

# Goods that the account may attach to a note. Without any, the account has not opened the shop feature.
PRODUCT = TABLES.entity(
    "product", Column("id", Text, primary_key=True, info=id_format("{hex:24}")), Column("name", Text)
)

MEANING = Meaning(
    automatic={
        "note": frozenset({"time", "ipLocation"})
        | {f"interactInfo.{what}Count" for what in ("liked", "collected", "comment", "shared")},
        "comment": frozenset({"createTime", "ipLocation", "subCommentCount"}),
    },
    bookkeeping=frozenset({"unread", "notification"}),
    outward=frozenset({"note", "comment"}),
    text={
        "note": lambda row: "\n".join(row[k] for k in ("title", "desc") if row.get(k)),
        "comment": lambda row: row.get("content") or "",
    },
)
