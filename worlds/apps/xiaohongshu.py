"""Rednote's rows from the content of a world."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

# Ids of users, notes and comments begin with the second of their creation.
_ID = fill.form("{made}00000000{rest}", made=fill.moment("at", "hex"), rest=fill.random("{hex:8}"))


def _avatar(of: str) -> fill.Filler:
    return fill.once("avatar", "https://sns-avatar-qc.xhscdn.com/avatar/{hex:24}.jpg", per=of)


def _account(of: str) -> fill.Filler:
    """Return a filler for a user as notes and comments show their author."""
    name = fill.of(f"{of}.account.nickname")
    return fill.shape(userId=fill.key(of), nickname=name, nickName=name, avatar=_avatar(of))


def _figure(inner: fill.Filler) -> fill.Filler:
    return fill.figure(inner, above=10_000, sign="万")


def _interaction(kind: str, name: str, attribute: str) -> fill.Filler:
    return fill.shape(type=kind, name=name, count=_figure(fill.of(f"account.{attribute}")))


def _picture(size: str) -> fill.Filler:
    # The folder is the Beijing time of the page request.
    return fill.form(f"http://sns-webpic-qc.xhscdn.com/202611200900/{{name}}!{size}", name=fill.of("it.name"))


_IP = fill.of("author.account.location")
_NORMAL = fill.shape(illegalStatus="NORMAL")
# A notice by its form: the tab of the page, the type and the sentence.
_NOTICES = {
    "comment": ("mentions", "comment/item", "评论了你的笔记"),
    "answer": ("mentions", "comment/comment", "回复了你的评论"),
    "like": ("likes", "liked/item", "赞了你的笔记"),
    "collect": ("likes", "faved/item", "收藏了你的笔记"),
    "follow": ("connections", "follow/you", "开始关注你了"),
}


def _notice(part: int) -> fill.Filler:
    return fill.case("form", {form: words[part] for form, words in _NOTICES.items()})


ROWS = {
    "session": Rows(
        made_from="self",
        columns={
            "logged_in": fill.always(True),
            "nickname": fill.of("person.account.nickname"),
            "userId": fill.key("person"),
        },
    ),
    "user": Rows(
        made_from="person",
        columns={
            "userId": _ID,
            "basicInfo": fill.shape(
                gender=fill.of("account.gender", 1),
                ipLocation=fill.of("account.location"),
                desc=fill.of("account.bio", ""),
                imageb=fill.form("{avatar}?imageView2/2/w/540/format/webp", avatar=_avatar("self")),
                nickname=fill.of("account.nickname"),
                images=fill.form("{avatar}?imageView2/2/w/360/format/webp", avatar=_avatar("self")),
                redId=fill.of("account.red_id"),
            ),
            "interactions": fill.several(
                _interaction("follows", "关注", "following"),
                _interaction("fans", "粉丝", "followers"),
                _interaction("interaction", "获赞与收藏", "received"),
            ),
            "extraInfo": fill.case("account.relation", {"present": fill.shape(fstatus=fill.of("account.relation"))}),
        },
    ),
    "note": Rows(
        made_from="post",
        columns={
            "noteId": _ID,
            "modelType": fill.always("note"),
            "desc": fill.case(
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
            "type": fill.case("form", {"video": "video"}, "normal"),
            "time": fill.moment("at", as_text=False),
            "ipLocation": _IP,
            "user": _account("author"),
            "interactInfo": fill.shape(
                liked=fill.of("liked"),
                likedCount=_figure(fill.of("likes")),
                sharedCount=_figure(fill.of("shares")),
                commentCount=fill.figure(fill.count("comment", "post")),
                collectedCount=_figure(fill.of("collects")),
                collected=fill.of("collected"),
            ),
            "imageList": fill.items(
                "pictures",
                fill.shape(
                    width=fill.of("it.width"),
                    height=fill.of("it.height"),
                    urlDefault=_picture("nd_dft_wlteh_webp_3"),
                    urlPre=_picture("nd_prv_wlteh_webp_3"),
                ),
            ),
            "video": fill.case("form", {"video": fill.shape(capa=fill.shape(duration=fill.of("seconds")))}),
            "tagList": fill.items("tags", fill.shape(name=fill.of("it"), type="topic")),
            "visibility": fill.case("closed", {True: "仅自己可见"}, "公开可见"),
            "isOriginal": fill.of("original"),
        },
    ),
    "mark": Rows(),
    "comment": Rows(
        columns={
            "id": _ID,
            "noteId": fill.key("post"),
            "rootCommentId": fill.key("root"),
            "targetCommentId": fill.key("answers"),
            "content": fill.text(),
            "likeCount": _figure(fill.of("likes")),
            "createTime": fill.moment("at", as_text=False),
            "ipLocation": _IP,
            "userInfo": _account("author"),
            "subCommentCount": fill.figure(fill.count("comment", "root")),
            "subComments": fill.always([]),
            "showTags": fill.case("by_author", {True: fill.always(["is_author"])}, fill.always([])),
        },
    ),
    "notification": Rows(
        made_from="notice",
        columns={
            "cookie_path": fill.always("cookies.json"),
            "tab": _notice(0),
            "type": _notice(1),
            "title": _notice(2),
            "time": fill.moment("at", "s", as_text=False),
            "userInfo": fill.shape(
                userid=fill.key("person"),
                nickname=fill.of("person.account.nickname"),
                xsecToken=fill.once("user token", "AB{base64url:43}=", per="person"),
            ),
            "commentInfo": fill.case(
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
            "itemInfo": fill.case(
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
        },
    ),
    "unread": Rows(
        made_from="self",
        columns={
            "mentions": fill.of("unread.mentions"),
            "likes": fill.of("unread.likes"),
            "connections": fill.of("unread.connections"),
            "unreadCount": fill.of("unread.all"),
        },
    ),
    "file": Rows(),
    "product": Rows(),
}
