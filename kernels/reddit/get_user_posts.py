from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import hidden_names
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identifiers import username
from soundstage.kernels.reddit.rules.identity import author_named
from soundstage.kernels.reddit.rules.layout import found_posts, next_page
from soundstage.kernels.reddit.rules.listings import ordered, page
from soundstage.kernels.reddit.rules.things import as_post
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """A page of what somebody has posted, where whoever asks may read."""
    asked, sort, time = arguments["username"], arguments["sort"], arguments["time_filter"]
    author = author_named(context, username(asked))
    if author is None:
        raise http_error(404, f"Failed to get posts for user {asked}")
    hidden = hidden_names(context)
    rows = [row for row in context.list("post", {"author": author}) if row.get("subreddit") not in hidden]
    posts = ordered(context, [as_post(context, row) for row in rows], sort, time)
    shown = page(posts, arguments["limit"], arguments.get("after"))
    if not shown.items:
        return f"No posts found for u/{asked} with the specified filters."
    listed = found_posts(shown.items, host_of(context), with_author=False)
    return f"# Posts by u/{asked} ({sort} - {time})\n\n{listed}{next_page(shown)}"
