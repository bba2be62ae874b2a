"""The `get_my_saved` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identity import has_saved, signed_in
from soundstage.kernels.reddit.rules.layout import format_overview
from soundstage.kernels.reddit.rules.listings import page
from soundstage.kernels.reddit.rules.things import Comment, Post, as_comment, as_post
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of the posts, then the comments, that the acting account saved.

    No tool saves anything.
    """
    signed_in(context, "Fetching saved content")
    posts = [row for row in context.list("post") if has_saved(context, row, f"t3_{row['id']}")]
    comments = [row for row in context.list("comment") if has_saved(context, row, f"t1_{row['id']}")]
    saved: list[Post | Comment] = [as_post(context, row) for row in posts]
    saved += [as_comment(row) for row in comments]
    return format_overview(
        "Your Saved Content", page(saved, arguments["limit"], arguments.get("after")), host_of(context)
    )
