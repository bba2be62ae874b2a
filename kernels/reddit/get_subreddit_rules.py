"""The `get_subreddit_rules` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.communities import of_community, readable
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.javascript import trim
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a community's rules in order of priority, and the kind of content that each applies to."""
    subreddit = arguments["subreddit_name"]
    community = readable(context, subreddit_name(subreddit), f"Failed to get rules for r/{subreddit}")
    rules = sorted(of_community(context, "rule", community), key=lambda rule: rule.get("priority", 0))
    if not rules:
        return f"r/{subreddit} has no listed subreddit-specific rules."
    listed = "\n\n".join(_shown(number, rule) for number, rule in enumerate(rules, start=1))
    return f"# Posting Rules for r/{subreddit}\n\n{listed}"


def _shown(number: int, rule: Object) -> str:
    kind = rule.get("kind", "all")
    applies = "posts & comments" if kind == "all" else f"{kind}s"
    detail = trim(rule.get("description", ""))
    return f"### {number}. {rule.get('short_name', '')} _(applies to {applies})_" + (f"\n{detail}" if detail else "")
