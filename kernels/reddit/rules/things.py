"""Posts and comments with every member of Reddit's listings that the MCP server reads.

Members missing in a recorded state get the values of an ordinary text post or comment.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

DELETED = "[deleted]"
"""Replaces the author and the text of a post that its author deleted."""


@dataclass(frozen=True, slots=True)
class Post:
    """A link (t3). `score`, `upvote_ratio` and `created_utc` (s) may be missing in a state then None."""

    id: str
    title: str
    author: str
    subreddit: str
    selftext: str
    url: str
    score: int | None
    upvote_ratio: float | None
    num_comments: int
    created_utc: float | None
    over_18: bool
    spoiler: bool
    edited: bool
    is_self: bool
    flair: str | None
    permalink: str

    @property
    def fullname(self) -> str:
        """The id with the prefix of posts."""
        return f"t3_{self.id}"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment (t1). `votes` are upvotes and downvotes; `body` may be missing in a state then None."""

    id: str
    author: str
    body: str | None
    score: int | None
    votes: tuple[int, int]
    is_controversial: bool
    subreddit: str
    link_title: str
    created_utc: float | None
    edited: bool
    is_submitter: bool
    permalink: str
    parent_id: str
    link_id: str

    @property
    def fullname(self) -> str:
        """The id with the prefix of comments."""
        return f"t1_{self.id}"


def as_post(context: AppContext, row: Object) -> Post:
    """Convert the row of a post."""
    community = row.get("subreddit", "")
    return Post(
        id=row["id"],
        title=row.get("title", ""),
        author=row.get("author", DELETED),
        subreddit=community,
        selftext=row.get("selftext", ""),
        url=row.get("url", ""),
        score=row.get("score"),
        upvote_ratio=row.get("upvote_ratio"),
        num_comments=comments_under(context, row),
        created_utc=row.get("created_utc"),
        over_18=bool(row.get("over_18")),
        spoiler=bool(row.get("spoiler")),
        edited=bool(row.get("edited")),
        is_self=row.get("is_self", True),
        flair=row.get("link_flair_text"),
        permalink=row.get("permalink") or f"/r/{community}/comments/{row['id']}/",
    )


def as_comment(row: Object) -> Comment:
    """Convert the row of a comment; without votes, every point counts as one."""
    score: int | None = row.get("score")
    points = score or 0
    link = row.get("link_id", "")
    community = row.get("subreddit", "")
    return Comment(
        id=row["id"],
        author=row.get("author", DELETED),
        body=row.get("body"),
        score=score,
        votes=(row.get("ups", max(points, 0)), row.get("downs", max(-points, 0))),
        is_controversial=bool(row.get("controversiality")),
        subreddit=community,
        link_title=row.get("link_title", ""),
        created_utc=row.get("created_utc"),
        edited=bool(row.get("edited")),
        is_submitter=bool(row.get("is_submitter")),
        permalink=row.get("permalink") or f"/r/{community}/comments/{link.removeprefix('t3_')}/_/{row['id']}/",
        parent_id=row.get("parent_id", ""),
        link_id=link,
    )


def comments_under(context: AppContext, post: Object) -> int:
    """Return the comment count of a post: its `num_comments`, else the number of stored comments."""
    count = post.get("num_comments")
    return context.count("comment", {"link_id": f"t3_{post['id']}"}) if count is None else int(count)


def was_deleted(post: Object) -> bool:
    """Return whether the author deleted a post: listings omit it, its own page remains."""
    return post.get("removed_by_category") == "deleted"
