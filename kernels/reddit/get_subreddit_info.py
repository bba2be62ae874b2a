"""The `get_subreddit_info` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import readable
from soundstage.kernels.reddit.rules.host import host_of, iso
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.javascript import cut
from soundstage.kernels.reddit.rules.layout import SITE
from soundstage.kernels.reddit.rules.profiles import bullets, health, tips
from soundstage.kernels.types import Arguments

_NOTHING_TO_ADVISE = "Regular engagement recommended to maintain community presence"


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a community's profile with canned remarks on its state."""
    subreddit = arguments["subreddit_name"]
    community = readable(context, subreddit_name(subreddit), f"Failed to get subreddit info for {subreddit}")
    host = host_of(context)
    name, active, kind = community["display_name"], community.get("active_user_count"), community.get("subreddit_type")
    flags = (["NSFW"] if community.get("over18") else []) + ([] if kind is None else [f"Type: {kind}"])
    return (
        f"# Subreddit Information: r/{name}\n\n"
        "## Overview\n"
        f"- Name: r/{name}\n"
        f"- Title: {community.get('title', '')}\n"
        f"- Subscribers: {host.number(community.get('subscribers'))}\n"
        f"- Active Users: {'Unknown' if active is None else host.number(active)}\n\n"
        f"## Description\n{community.get('public_description', '')}\n\n"
        f"## Detailed Description\n{cut(community.get('description', ''), 300, 297)}\n\n"
        "## Metadata\n"
        f"- Created: {iso(community.get('created_utc'))}\n"
        f"- Flags: {', '.join(flags) or 'None'}\n\n"
        "## Links\n"
        f"- Subreddit: {SITE}{community.get('url') or f'/r/{name}/'}\n"
        f"- Wiki: {SITE}/r/{name}/wiki\n\n"
        f"## Community Analysis\n{bullets(health(community, context.now().timestamp()))}\n\n"
        f"## Engagement Tips\n{bullets(tips(community), _NOTHING_TO_ADVISE)}"
    )
