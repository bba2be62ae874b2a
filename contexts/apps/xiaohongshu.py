"""Rednote's entities, with the field names of its web pages' state (`window.__INITIAL_STATE__`)."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine import fill
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format

TABLES = AppTables("xiaohongshu")

# How Rednote words what a world is made of. Its ids of users, notes and comments begin with the second they were made.
_ID = id_format("{hex:8}00000000{hex:8}") | fill.form(
    "{made}00000000{rest}", made=fill.moment("at", "hex"), rest=fill.random("{hex:8}")
)


def _avatar(of: str) -> fill.Info:
    return fill.once("avatar", "https://sns-avatar-qc.xhscdn.com/avatar/{hex:24}.jpg", per=of)


def _account(of: str) -> fill.Info:
    """A user as notes and comments show their author."""
    name = fill.of(f"{of}.account.nickname")
    return fill.shape(userId=fill.key(of), nickname=name, nickName=name, avatar=_avatar(of))


def _figure(inner: fill.Info) -> fill.Info:
    return fill.figure(inner, above=10_000, sign="万")


def _interaction(kind: str, name: str, attribute: str) -> fill.Info:
    return fill.shape(type=kind, name=name, count=_figure(fill.of(f"account.{attribute}")))


def _picture(size: str) -> fill.Info:
    # The folder is the Beijing time at which the page was asked for.
    return fill.form(f"http://sns-webpic-qc.xhscdn.com/202611200900/{{name}}!{size}", name=fill.of("it.name"))


_IP = fill.of("author.account.location")
_NORMAL = fill.shape(illegalStatus="NORMAL")
# A notice by its form: the page's tab, the type, and the sentence.
_NOTICES = {
    "comment": ("mentions", "comment/item", "评论了你的笔记"),
    "answer": ("mentions", "comment/comment", "回复了你的评论"),
    "like": ("likes", "liked/item", "赞了你的笔记"),
    "collect": ("likes", "faved/item", "收藏了你的笔记"),
    "follow": ("connections", "follow/you", "开始关注你了"),
}


def _notice(part: int) -> fill.Info:
    return fill.case("form", {form: words[part] for form, words in _NOTICES.items()})


# A server's one browser session lives in its cookie file, so the file's name is the key; an object without one gets
# the default. `account` is the userId of another person who acts, and so has a server of his own. `restricted` stands for an
# account that Rednote has muted: it signs in, but nothing it does takes effect. `qrId` and `qrExpiresAt` (ms) are the login code
# that waits to be scanned.
SESSION = TABLES.entity(
    "session",
    Column("cookie_path", Text, primary_key=True, info=id_format("cookies.json")),
    Column("logged_in", Flag, info=fill.always(True)),
    Column("nickname", Text, info=fill.of("person.account.nickname")),
    Column("userId", Text, info=fill.key("person")),
    Column("restricted", Flag),
    Column("account", Text),
    Column("qrId", Text),
    Column("qrExpiresAt", Integer),
    made_from="self",
)

# `extraInfo.fstatus` tells whether the signed-in account follows this user: follows, fans, both or none.
USER = TABLES.entity(
    "user",
    Column("userId", Text, primary_key=True, info=_ID),
    Column(
        "basicInfo",
        Json,
        info=fill.shape(
            gender=fill.of("account.gender", 1),
            ipLocation=fill.of("account.location"),
            desc=fill.of("account.bio", ""),
            imageb=fill.form("{avatar}?imageView2/2/w/540/format/webp", avatar=_avatar("self")),
            nickname=fill.of("account.nickname"),
            images=fill.form("{avatar}?imageView2/2/w/360/format/webp", avatar=_avatar("self")),
            redId=fill.of("account.red_id"),
        ),
    ),
    Column(
        "interactions",
        Json,
        info=fill.several(
            _interaction("follows", "关注", "following"),
            _interaction("fans", "粉丝", "followers"),
            _interaction("interaction", "获赞与收藏", "received"),
        ),
    ),
    Column(
        "extraInfo",
        Json,
        info=fill.case("account.relation", {"present": fill.shape(fstatus=fill.of("account.relation"))}),
    ),
    made_from="person",
)

# `liked` and `collected` in `interactInfo` are the own marks of the account that the state gives. From `visibility` on, the
# columns hold what the publishing tools set; `uploads` are the files and addresses whose pictures or video the note carries.
NOTE = TABLES.entity(
    "note",
    Column("noteId", Text, primary_key=True, info=_ID),
    Column("xsecToken", Text, info=id_format("AB{base64url:43}=")),
    Column("modelType", Text, info=fill.always("note")),
    Column("title", Text),
    Column(
        "desc",
        Text,
        info=fill.case(
            "tags",
            {
                "present": fill.form(
                    "{body}\n{topics} ",
                    body=fill.text(),
                    topics=fill.joined(fill.items("tags", fill.form("#{tag}[话题]#", tag=fill.of("it")))),
                )
            },
            fill.text(),
        ),
    ),
    Column("type", Text, info=fill.case("form", {"video": "video"}, "normal")),
    Column("time", Integer, info=fill.moment("at", as_text=False)),
    Column("ipLocation", Text, info=_IP),
    Column("user", Json, info=_account("author")),
    Column(
        "interactInfo",
        Json,
        info=fill.shape(
            liked=fill.of("liked"),
            likedCount=_figure(fill.of("likes")),
            sharedCount=_figure(fill.of("shares")),
            commentCount=fill.figure(fill.count("comment", "post")),
            collectedCount=_figure(fill.of("collects")),
            collected=fill.of("collected"),
        ),
    ),
    Column(
        "imageList",
        Json,
        info=fill.items(
            "pictures",
            fill.shape(
                width=fill.of("it.width"), height=fill.of("it.height"), urlDefault=_picture("nd_dft_wlteh_webp_3"),
                urlPre=_picture("nd_prv_wlteh_webp_3"),
            ),
        ),
    ),
    Column("video", Json, info=fill.case("form", {"video": fill.shape(capa=fill.shape(duration=fill.of("seconds")))})),
    Column("tagList", Json, info=fill.items("tags", fill.shape(name=fill.of("it"), type="topic"))),
    Column("visibility", Text, info=fill.case("closed", {True: "仅自己可见"}, "公开可见")),
    Column("scheduledTime", Integer),
    Column("isOriginal", Flag, info=fill.of("original")),
    Column("products", Json),
    Column("uploads", Json),
    made_from="post",
)  # fmt: skip

# What people other than the state's own account have liked and favourited: `target` is a noteId or a comment's id.
MARK = TABLES.entity(
    "mark",
    Column("userId", Text, primary_key=True),
    Column("target", Text, primary_key=True),
    Column("liked", Flag),
    Column("collected", Flag),
)

# A top-level comment has no `rootCommentId`. Recorded states carry replies inside their comment's `subComments`; those
# written here are rows of their own, below the top-level comment `rootCommentId` in answer to `targetCommentId`.
COMMENT = TABLES.entity(
    "comment",
    Column("id", Text, primary_key=True, info=_ID),
    Column("noteId", Text, info=fill.key("post")),
    Column("rootCommentId", Text, info=fill.key("root")),
    Column("targetCommentId", Text, info=fill.key("answers")),
    Column("content", Text, info=fill.text()),
    Column("likeCount", Text, info=_figure(fill.of("likes"))),
    Column("createTime", Integer, info=fill.moment("at", as_text=False)),
    Column("ipLocation", Text, info=_IP),
    Column("liked", Flag),
    Column("userInfo", Json, info=_account("author")),
    Column("subCommentCount", Text, info=fill.figure(fill.count("comment", "root"))),
    Column("subComments", Json, info=fill.always([])),
    Column("showTags", Json, info=fill.case("by_author", {True: fill.always(["is_author"])}, fill.always([]))),
    parents={"note": "noteId"},
)

NOTIFICATION = TABLES.entity(
    "notification",
    Column("id", Text, primary_key=True, info=id_format("{digits:19}")),
    Column("cookie_path", Text, info=fill.always("cookies.json")),
    Column("tab", Text, info=_notice(0)),
    Column("type", Text, info=_notice(1)),
    Column("title", Text, info=_notice(2)),
    Column("time", Integer, info=fill.moment("at", "s", as_text=False)),
    Column(
        "userInfo",
        Json,
        info=fill.shape(
            userid=fill.key("person"),
            nickname=fill.of("person.account.nickname"),
            xsecToken=fill.once("user token", "AB{base64url:43}=", per="person"),
        ),
    ),
    Column("user", Json),
    Column(
        "commentInfo",
        Json,
        info=fill.case(
            "comment",
            {
                "present": fill.shape(
                    id=fill.cell("comment", "id"),
                    content=fill.cell("comment", "content"),
                    liked=fill.of("comment.liked"),
                    illegalInfo=fill.case("removed", {True: fill.shape(illegalStatus="DELETED")}, _NORMAL),
                )
            },
        ),
    ),
    Column(
        "itemInfo",
        Json,
        info=fill.case(
            "post",
            {
                "present": fill.shape(
                    id=fill.key("post"),
                    type="note_info",
                    content=fill.of("post.title"),
                    xsecToken=fill.cell("post", "xsecToken"),
                    illegalInfo=_NORMAL,
                )
            },
        ),
    ),
    parents={"session": "cookie_path"},
    made_from="notice",
)

UNREAD = TABLES.entity(
    "unread",
    Column("cookie_path", Text, primary_key=True, info=id_format("cookies.json")),
    Column("mentions", Integer, info=fill.of("unread.mentions")),
    Column("likes", Integer, info=fill.of("unread.likes")),
    Column("connections", Integer, info=fill.of("unread.connections")),
    Column("unreadCount", Integer, info=fill.of("unread.all")),
    parents={"session": "cookie_path"},
    made_from="self",
)

# What the server can read: files on its disk by absolute path, and pictures on the web by address. `status` is the HTTP
# status of an address that does not answer 200.
FILE = TABLES.entity(
    "file",
    Column("path", Text, primary_key=True),
    Column("status", Integer),
)

# Goods that the account may attach to a note; without any it has not opened the shop feature.
PRODUCT = TABLES.entity(
    "product",
    Column("id", Text, primary_key=True, info=id_format("{hex:24}")),
    Column("name", Text),
)
