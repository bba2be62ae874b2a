"""The `get_top_posts` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.feeds import posts_in
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.layout import format_feed, next_page
from soundstage.kernels.reddit.rules.listings import page, sort_things
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of the highest scored posts within a period, of a community or of the home feed."""
    subreddit, time = arguments.get("subreddit"), arguments["time_filter"]
    posts = sort_things(context, posts_in(context, subreddit or "", "Failed to get top posts"), "top", time)
    shown = page(posts, arguments["limit"], arguments.get("after"))
    if not shown.items:
        place = "home feed" if subreddit is None else f"r/{subreddit}"
        return f"No posts found in {place} for the specified time period."
    place = "Home Feed" if subreddit is None else f"r/{subreddit}"
    return f"# Top Posts from {place} ({time})\n\n{format_feed(shown.items, host_of(context))}{next_page(shown)}"
