"""Feeds: the posts of a community, or of all that the acting account may read."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import hidden_names, readable_names
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.things import Post, as_post, was_deleted


def posts_in(context: AppContext, name_or_link: str, request: str) -> list[Post]:
    """Return the posts of a community in the order of their creation; without a name, of every readable one.

    Raises:
        RedditError: The name is invalid; HTTP 404 for an unknown community, 403 for a private one.
    """
    name = subreddit_name(name_or_link)
    if name == "":
        hidden = hidden_names(context)
        rows = [row for row in context.list("post") if row.get("subreddit") not in hidden]
    else:
        rows = context.list("post", {"subreddit in": readable_names(context, name, request)})
    return [as_post(context, row) for row in rows if not was_deleted(row)]
