"""The `get_trending_subreddits` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments

_LIMIT = 5


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the communities with the most subscribers, at most five.

    Private communities are included, as recorded.
    """
    largest = sorted(context.list("subreddit"), key=lambda community: -community.get("subscribers", 0))[:_LIMIT]
    listed = "\n".join(f"{number}. r/{c['display_name']}" for number, c in enumerate(largest, start=1))
    return f"# Trending Subreddits\n\n{listed}"
