"""The `get_my_overview` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identity import signed_in
from soundstage.kernels.reddit.rules.layout import format_overview
from soundstage.kernels.reddit.rules.listings import created, page
from soundstage.kernels.reddit.rules.things import Comment, Post, as_comment, as_post
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of the acting account's posts and comments, newest first.

    The page lists posts and comments separately.
    """
    name = signed_in(context, "Fetching your overview")
    posts: list[Post | Comment] = [as_post(context, row) for row in context.list("post", {"author": name})]
    comments = [as_comment(row) for row in context.list("comment", {"author": name})]
    newest_first = sorted([*posts, *comments], key=created, reverse=True)
    return format_overview(
        "Your Overview", page(newest_first, arguments["limit"], arguments.get("after")), host_of(context)
    )
