"""The `search_reddit` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import ServerError, http_error
from soundstage.kernels.reddit.rules.feeds import posts_in
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.javascript import trim
from soundstage.kernels.reddit.rules.layout import listed_posts, next_page
from soundstage.kernels.reddit.rules.listings import in_window, page
from soundstage.kernels.reddit.rules.search import hits
from soundstage.kernels.types import Arguments

_REQUEST = "Failed to search Reddit"


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of the posts that match a query.

    Searches for communities or users return nothing, because the server reads only posts.
    """
    query, subreddit = arguments["query"], arguments.get("subreddit")
    sort, time, kind = arguments["sort"], arguments["time_filter"], arguments["type"]
    if trim(query) == "":
        raise ServerError("invalid", "Search query cannot be empty")
    if subreddit is not None and subreddit_name(subreddit) == "":
        raise http_error(404, _REQUEST)
    posts = in_window(context, posts_in(context, subreddit or "", _REQUEST), time)
    matches = hits(query, posts, sort) if kind == "link" else []
    shown = page(matches, arguments["limit"], arguments.get("after"))
    place = "" if subreddit is None else f" in r/{subreddit}"
    if not shown.items:
        return f'No results found for "{query}"{place}.'
    listed = listed_posts(shown.items, host_of(context), with_author=True)
    return (
        f'# Reddit Search Results for: "{query}"{place}\n\n'
        f"Sorted by: {sort} | Time: {time} | Type: {kind}\n\n{listed}{next_page(shown)}"
    )
