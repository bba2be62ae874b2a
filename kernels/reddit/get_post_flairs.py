"""The `get_post_flairs` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import of_community, readable
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the flairs that a post in a community may have."""
    subreddit = arguments["subreddit_name"]
    community = readable(context, subreddit_name(subreddit), f"Failed to get post flairs for r/{subreddit}")
    flairs = of_community(context, "flair", community)
    if not flairs:
        return f"r/{subreddit} has no selectable link flairs (or none are visible to this account)."
    listed = "\n".join(
        f"- {flair.get('text', '')}{' _(text editable)_' if flair.get('text_editable') else ''} — `flair_id: {flair['id']}`"
        for flair in flairs
    )
    return f"# Available Link Flairs for r/{subreddit}\n\n{listed}\n\nPass the desired `flair_id` to `create_post`."
