"""The `get_reddit_post` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.host import host_of, iso
from soundstage.kernels.reddit.rules.identifiers import subreddit_name, thing_id
from soundstage.kernels.reddit.rules.javascript import cut
from soundstage.kernels.reddit.rules.layout import SITE, percent
from soundstage.kernels.reddit.rules.profiles import best_time, bullets, engagement
from soundstage.kernels.reddit.rules.things import as_post
from soundstage.kernels.reddit.rules.threads import post_in
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return one post with its text shortened and with canned remarks on its reception."""
    requested_id = arguments["post_id"]
    key = thing_id(requested_id)
    community = subreddit_name(arguments["subreddit"])
    post = as_post(context, post_in(context, community, key, f"Failed to get post with ID {requested_id}"))
    host = host_of(context)
    marks = (("NSFW", post.over_18), ("Spoiler", post.spoiler), ("Edited", post.edited))
    flags = [name for name, is_set in marks if is_set]
    return (
        f"# Post from r/{post.subreddit}\n\n"
        "## Post Details\n"
        f"- Title: {post.title}\n"
        f"- Type: {'Text Post' if post.is_self else 'Link Post'}\n"
        f"- Author: u/{post.author}\n\n"
        f"## Content\n{cut(post.selftext if post.is_self else post.url, 300, 297)}\n\n"
        "## Stats\n"
        f"- Score: {host.number(post.score)}\n"
        f"- Upvote Ratio: {percent(post.upvote_ratio)}%\n"
        f"- Comments: {host.number(post.num_comments)}\n\n"
        "## Metadata\n"
        f"- Posted: {iso(post.created_utc)}\n"
        f"- Flags: {', '.join(flags) or 'None'}\n"
        f"- Flair: {'None' if post.flair is None else post.flair}\n\n"
        "## Links\n"
        f"- Full Post: {SITE}{post.permalink}\n"
        f"- Short Link: https://redd.it/{post.id}\n\n"
        f"## Engagement Analysis\n{bullets(engagement(post))}\n\n"
        f"## Best Time to Engage\n{best_time(post, host)}"
    )
