"""The `browse_subreddit` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.feeds import posts_in
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.layout import format_feed, next_page
from soundstage.kernels.reddit.rules.listings import page, sort_things
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of a community's posts, or of the home feed, in one of five orders."""
    subreddit, sort, time = arguments.get("subreddit"), arguments["sort"], arguments["time_filter"]
    request = f"Failed to browse r/{subreddit or 'home'}"
    shown = page(
        sort_things(context, posts_in(context, subreddit or "", request), sort, time),
        arguments["limit"],
        arguments.get("after"),
    )
    if not shown.items:
        return f"No posts found in {'home feed' if subreddit is None else f'r/{subreddit}'}."
    place = "Home Feed" if subreddit is None else f"r/{subreddit}"
    within = f", {time}" if sort in ("top", "controversial") else ""
    return f"# {sort} posts from {place} ({sort}{within})\n\n{format_feed(shown.items, host_of(context))}{next_page(shown)}"
