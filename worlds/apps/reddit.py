"""Reddit's rows from the content of a world.

The `topic` of a `post` names its community; `likes` are points, `collected` marks posts that the user saved, and `also`
holds further facts: the address of a link, a flair, a lock. Its `comments` are the thread below it.
"""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_MADE = fill.moment("at", "s", as_text=False)
_POST = fill.form("t3_{id}", id=fill.key("post"))

ROWS = {
    "setting": Rows(
        made_from="self",
        columns={"name": fill.always("REDDIT_USERNAME"), "value": fill.key("person")},
    ),
    "user": Rows(
        made_from="person",
        columns={
            "name": fill.of("account.username"),
            "id": fill.random("{lower:7}"),
            "comment_karma": fill.of("account.comment_karma", otherwise=fill.random(low=12, high=2400)),
            "link_karma": fill.of("account.link_karma", otherwise=fill.random(low=1, high=900)),
            "is_mod": fill.of("account.moderates", otherwise=False),
            "is_gold": fill.always(False),
            "is_employee": fill.always(False),
            "created_utc": _MADE,
        },
    ),
    "subreddit": Rows(
        columns={
            "display_name": fill.of("name"),
            "public_description": fill.of("about"),
            "description": fill.text(),
            "over18": fill.always(False),
            "subreddit_type": fill.of("type", otherwise="public"),
            "url": fill.form("/r/{name}/", name=fill.of("name")),
            "approved": fill.key("members"),
            "created_utc": _MADE,
        },
    ),
    "flair": Rows(
        columns={
            "subreddit": fill.key("community"),
            "type": fill.always("text"),
            "text_editable": fill.of("editable", otherwise=False),
        },
    ),
    "rule": Rows(
        columns={
            "subreddit": fill.key("community"),
            "kind": fill.of("about", otherwise="all"),
            "short_name": fill.of("title"),
            "description": fill.text(),
            "violation_reason": fill.of("title"),
            "created_utc": _MADE,
        },
    ),
    "post": Rows(
        columns={
            "subreddit": fill.of("topic"),
            "author": fill.key("author"),
            "selftext": fill.text(),
            "is_self": fill.always(True),
            "url": fill.form("https://www.reddit.com{permalink}"),
            "score": fill.of("likes", otherwise=fill.random(low=3, high=60)),
            "upvote_ratio": fill.enumerate(weights={0.98: 3, 0.96: 4, 0.94: 4, 0.91: 3, 0.87: 2, 0.81: 1}),
            "num_comments": fill.count("comment", "post"),
            "created_utc": _MADE,
            "permalink": fill.form(
                "/r/{topic}/comments/{id}/{title|snake}/", topic=fill.of("topic"), title=fill.of("title")
            ),
            "locked": fill.always(False),
            "archived": fill.always(False),
            "over_18": fill.always(False),
            "spoiler": fill.always(False),
            "edited": fill.always(False),
            "saved": fill.case("collected", {True: True}),
        },
        link="https://www.reddit.com{permalink}",
    ),
    "comment": Rows(
        columns={
            "author": fill.key("author"),
            "body": fill.text(),
            "score": fill.of("likes", otherwise=fill.random(low=1, high=14)),
            "subreddit": fill.of("post.topic"),
            "parent_id": fill.case("answers", {"present": fill.form("t1_{id}", id=fill.key("answers"))}, _POST),
            "link_id": _POST,
            "created_utc": _MADE,
            "is_submitter": fill.of("by_author"),
            "permalink": fill.form("{post}{id}/", post=fill.cell("post", "permalink")),
            "link_title": fill.of("post.title"),
            "edited": fill.always(False),
            "controversiality": fill.always(0),
        },
    ),
    "saved_thing": Rows(),
    "safe_mode": Rows(),
}
