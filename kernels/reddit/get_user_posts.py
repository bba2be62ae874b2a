"""The `get_user_posts` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import hidden_names
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identifiers import username
from soundstage.kernels.reddit.rules.identity import author_named
from soundstage.kernels.reddit.rules.layout import listed_posts, next_page
from soundstage.kernels.reddit.rules.listings import page, sort_things
from soundstage.kernels.reddit.rules.things import as_post
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of a user's posts in communities that the acting account may read."""
    requested_name, sort, time = arguments["username"], arguments["sort"], arguments["time_filter"]
    author = author_named(context, username(requested_name))
    if author is None:
        raise http_error(404, f"Failed to get posts for user {requested_name}")
    hidden = hidden_names(context)
    rows = [row for row in context.list("post", {"author": author}) if row.get("subreddit") not in hidden]
    posts = sort_things(context, [as_post(context, row) for row in rows], sort, time)
    shown = page(posts, arguments["limit"], arguments.get("after"))
    if not shown.items:
        return f"No posts found for u/{requested_name} with the specified filters."
    listed = listed_posts(shown.items, host_of(context), with_author=False)
    return f"# Posts by u/{requested_name} ({sort} - {time})\n\n{listed}{next_page(shown)}"
