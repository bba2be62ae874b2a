"""Instagram's rows from the content of a world."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_MADE = fill.moment("at", "iso-s")
_CDN = "https://scontent.cdninstagram.com/v/"
_SHORTCODE = fill.once("shortcode", "C{base64url:10}", per="self")


def _user(of: str) -> fill.Filler:
    """Return a filler for a user as comments and messages show them."""
    return fill.shape(id=fill.key(of), username=fill.of(f"{of}.account.username"))


def _file(ending: str) -> fill.Filler:
    return fill.form(_CDN + "{file}." + ending, file=fill.once("file", "t51.2885-15/{digits:15}_n", per="self"))


# The kind of a post: `video` is a reel and several `pictures` make an album; `also` marks stories and broadcasts.
_ONE_PICTURE = fill.case("pictures.count", {1: _file("jpg")})
_ALBUM = fill.items(
    "pictures",
    fill.shape(
        id=fill.form("178{rest}", rest=fill.random("{digits:14}")),
        media_type="IMAGE",
        media_url=fill.form(_CDN + "t51.2885-15/{name}.jpg", name=fill.of("it.name")),
        permalink=fill.form("https://www.instagram.com/p/{code}/", code=fill.random("C{base64url:10}")),
        timestamp=_MADE,
    ),
)

ROWS = {
    "settings": Rows(
        made_from="self",
        columns={
            "name": fill.always("settings"),
            "messaging_window_hours": fill.always(24),
            "story_hours": fill.always(24),
        },
    ),
    "ig_user": Rows(
        made_from="person",
        columns={
            "username": fill.of("account.username"),
            "name": fill.of("account.name", otherwise=fill.of("name")),
            "website": fill.of("account.website"),
            "biography": fill.of("account.bio"),
            "profile_picture_url": fill.form(
                _CDN + "{file}", file=fill.once("face", "t51.2885-19/{digits:15}.jpg", per="self")
            ),
            "followers_count": fill.of("account.followers", otherwise=fill.random(low=60, high=900)),
            "follows_count": fill.of("account.following", otherwise=fill.random(low=40, high=600)),
            "media_count": fill.of("account.posts", otherwise=fill.random(low=3, high=160)),
            "page_id": fill.random("1048{digits:11}"),
            "account_type": fill.of("account.type"),
        },
    ),
    "session": Rows(
        made_from="self",
        columns={
            "account": fill.always("own"),
            "ig_user_id": fill.key("person"),
            "access_token_valid": fill.always(True),
            "page_linked": fill.always(True),
        },
    ),
    "quota_usage": Rows(),
    "container": Rows(columns={"owner": fill.key("by"), "created_at": _MADE, "caption": fill.of("caption")}),
    "media": Rows(
        made_from="post",
        columns={
            "owner": fill.key("author"),
            "username": fill.of("author.account.username"),
            "caption": fill.case(
                "tags",
                {
                    "present": fill.form(
                        "{body}\n\n{tags}",
                        body=fill.text(),
                        tags=fill.joined(fill.items("tags", fill.form("#{tag}", tag=fill.of("it")))),
                    )
                },
                fill.text(),
            ),
            "media_type": fill.case(
                "form", {"video": "VIDEO"}, fill.case("pictures.count", {1: "IMAGE"}, "CAROUSEL_ALBUM")
            ),
            "media_product_type": fill.case("form", {"video": "REELS"}, "FEED"),
            "media_url": fill.case("form", {"video": _file("mp4")}, _ONE_PICTURE),
            "thumbnail_url": fill.case("form", {"video": _file("jpg")}),
            "permalink": fill.form(
                "https://www.instagram.com/{kind}/{code}/",
                kind=fill.case("form", {"video": "reel"}, "p"),
                code=_SHORTCODE,
            ),
            "shortcode": _SHORTCODE,
            "timestamp": _MADE,
            "like_count": fill.of("likes"),
            "comments_count": fill.count("comment", "post"),
            "children_objs": fill.case("form", {"video": None}, fill.case("pictures.count", {1: None}, _ALBUM)),
        },
    ),
    "comment": Rows(
        columns={
            "media_id": fill.key("post"),
            "parent_id": fill.key("root"),
            "text": fill.text(),
            "username": fill.of("author.account.username"),
            "timestamp": _MADE,
            "like_count": fill.of("likes", otherwise=0),
            "hidden": fill.always(False),
            "from": _user("author"),
            "media": fill.shape(id=fill.key("post")),
        },
    ),
    "conversation": Rows(
        made_from="place",
        columns={"participants": fill.shape(data=fill.items("members", _user("it")))},
    ),
    "message": Rows(
        columns={
            "conversation_id": fill.key("place"),
            "message": fill.text(),
            "from": _user("author"),
            "created_time": _MADE,
        },
    ),
    "insight": Rows(
        columns={
            "id": fill.form("{user}/insights/{metric}/{period}", user=fill.key("by"), metric=fill.of("name")),
            "period": fill.of("period", otherwise="day"),
        },
    ),
    "remote_file": Rows(),
}
