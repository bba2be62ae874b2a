"""Feeds: the posts of a community, or of all that whoever acts may read."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import hidden_names, readable_names
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.things import Post, as_post, was_taken_back


def posts_in(context: AppContext, asked: str, request: str) -> list[Post]:
    """The posts of the community that was `asked` for, as they came to be; without a name, of every readable one.

    Raises:
        RedditError: for what is no name, HTTP 404 for an unknown community, 403 for a private one.
    """
    name = subreddit_name(asked)
    if name == "":
        hidden = hidden_names(context)
        rows = [row for row in context.list("post") if row.get("subreddit") not in hidden]
    else:
        rows = context.list("post", {"subreddit in": readable_names(context, name, request)})
    return [as_post(context, row) for row in rows if not was_taken_back(row)]
