from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import Thrown, http_error
from soundstage.kernels.reddit.rules.feeds import posts_in
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.javascript import trim
from soundstage.kernels.reddit.rules.layout import found_posts, next_page
from soundstage.kernels.reddit.rules.listings import in_window, page
from soundstage.kernels.reddit.rules.search import hits
from soundstage.kernels.types import Arguments

_REQUEST = "Failed to search Reddit"


def run(context: AppContext, arguments: Arguments) -> str:
    """A page of the posts that a query finds. Whoever asks for communities or users finds nothing: posts alone are read."""
    query, asked = arguments["query"], arguments.get("subreddit")
    sort, time, kind = arguments["sort"], arguments["time_filter"], arguments["type"]
    if trim(query) == "":
        raise Thrown("invalid", "Search query cannot be empty")
    if asked is not None and subreddit_name(asked) == "":
        raise http_error(404, _REQUEST)
    posts = in_window(context, posts_in(context, asked or "", _REQUEST), time)
    found = hits(query, posts, sort) if kind == "link" else []
    shown = page(found, arguments["limit"], arguments.get("after"))
    place = "" if asked is None else f" in r/{asked}"
    if not shown.items:
        return f'No results found for "{query}"{place}.'
    listed = found_posts(shown.items, host_of(context), with_author=True)
    return (
        f'# Reddit Search Results for: "{query}"{place}\n\n'
        f"Sorted by: {sort} | Time: {time} | Type: {kind}\n\n{listed}{next_page(shown)}"
    )
