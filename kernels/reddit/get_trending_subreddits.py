from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments

_ASKED_FOR = 5


def run(context: AppContext, arguments: Arguments) -> str:
    """The communities with the most subscribers, five at most. Private ones are among them, as they were recorded."""
    largest = sorted(context.list("subreddit"), key=lambda community: -community.get("subscribers", 0))[:_ASKED_FOR]
    listed = "\n".join(f"{number}. r/{c['display_name']}" for number, c in enumerate(largest, start=1))
    return f"# Trending Subreddits\n\n{listed}"
