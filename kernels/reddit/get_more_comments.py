"""The `get_more_comments` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import hidden_names
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.host import Host, host_of
from soundstage.kernels.reddit.rules.identifiers import fullname, thing_id
from soundstage.kernels.reddit.rules.javascript import cut
from soundstage.kernels.reddit.rules.layout import SITE, comment_marks
from soundstage.kernels.reddit.rules.things import Comment, as_comment
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the comments of a post with these ids, in the requested order.

    The ids may be of any comments of the post, whether or not a thread left them out.
    """
    requested_link = arguments["link_id"]
    link = fullname(requested_link, "t3")
    keys = [thing_id(written) for written in arguments["comment_ids"]]
    post = context.get("post", link[3:]) if link.startswith("t3_") else None
    if post is not None and post.get("subreddit") in hidden_names(context):
        raise http_error(403, f"Failed to expand comments for {requested_link}")
    rows = [row for key in keys if (row := context.get("comment", key)) is not None and row.get("link_id") == link]
    comments = [comment for row in rows if (comment := as_comment(row)).body is not None]
    if not comments:
        return "No additional comments were returned for those ids."
    host = host_of(context)
    listed = "\n\n".join(_shown(number, comment, host) for number, comment in enumerate(comments, start=1))
    return f"# Expanded Comments ({len(comments)})\n\n{listed}"


def _shown(number: int, comment: Comment, host: Host) -> str:
    return (
        f"### {number}. u/{comment.author} {comment_marks(comment)}\n"
        f"> {cut(comment.body or '', 300, 300)}\n\n"
        f"- Score: {host.number(comment.score)}\n"
        f"- Link: {SITE}{comment.permalink}"
    )
