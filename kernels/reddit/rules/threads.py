"""A post's own page: where it is found, and the thread below it.

Source of the orders: facts recorded from Reddit's interface; `best` and `controversial` weigh votes as
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
"""How deep a thread is followed before it says "continue this thread" (MAX_RECURSION in `r2/r2/models/builder.py`)."""
_UNASKED = 200
"""How many comments a thread shows when nobody asks for a number."""


def post_in(context: AppContext, subreddit: str, post_id: str, request: str) -> Object:
    """A post's row, asked for in its community.

    Raises:
        RedditError: HTTP 404 for a community or post that is not there, or not together; 403 for a private community.
    """
    community = readable(context, subreddit, request)
    post = context.get("post", post_id)
    if post is None or post.get("subreddit") != community["display_name"]:
        raise http_error(404, request)
    return post


def comments_of(context: AppContext, post: Post, sort: str, limit: float) -> list[Branch[Comment]]:
    """A post's thread, in reading order; answers to a comment that has no text are left out with it."""
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
    """Where a comment stands among its siblings: those with lower values come first."""
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
