"""The page of a post: lookup, and the thread below it.

The orders are facts recorded from Reddit's interface; `best` and `controversial` weigh votes as
`soundstage.kernels.engines.social.ranking` does.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.social.ranking import confidence, controversy
from soundstage.kernels.engines.social.trees import Branch, thread
from soundstage.kernels.reddit.rules.communities import readable
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.listings import created, score
from soundstage.kernels.reddit.rules.things import Comment, Post, as_comment

_MAX_DEPTH = 10
"""Depth at which a thread ends with "continue this thread" (MAX_RECURSION in `r2/r2/models/builder.py`)."""
_UNASKED = 200
"""The default number of comments in a thread."""


def post_in(context: AppContext, subreddit: str, post_id: str, request: str) -> Object:
    """Return the row of a post in its community.

    Raises:
        RedditError: HTTP 404 if the community or post is missing or they do not match; 403 for a private community.
    """
    community = readable(context, subreddit, request)
    post = context.get("post", post_id)
    if post is None or post.get("subreddit") != community["display_name"]:
        raise http_error(404, request)
    return post


def comments_of(context: AppContext, post: Post, sort: str, limit: float) -> list[Branch[Comment]]:
    """Return a post's thread in reading order, without comments that have no text and the answers to them."""
    rows = context.list("comment", {"link_id": post.fullname})
    shown = thread(
        [comment for row in rows if (comment := as_comment(row)).body is not None],
        post.fullname,
        name=lambda comment: comment.fullname,
        parent=lambda comment: comment.parent_id,
        order=lambda comment: _place(comment, sort),
        limit=int(limit) if limit == int(limit) else _UNASKED,
        max_depth=_MAX_DEPTH,
    )
    return shown.shown


def _place(comment: Comment, sort: str) -> Any:
    """Return the sort key of a comment among its siblings; lower values come first."""
    match sort:
        case "new":
            return -created(comment)
        case "old":
            return created(comment)
        case "top":
            return -score(comment)
        case "controversial":
            return (not comment.is_controversial, -controversy(*comment.votes), -score(comment))
        case "qa":
            return (not comment.is_submitter, -score(comment))
        case _:
            return (-confidence(*comment.votes), -score(comment))
