"""The `get_user_comments` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.communities import hidden_names
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.host import Host, host_of
from soundstage.kernels.reddit.rules.identifiers import username
from soundstage.kernels.reddit.rules.identity import author_named
from soundstage.kernels.reddit.rules.javascript import cut
from soundstage.kernels.reddit.rules.layout import SITE, comment_marks, next_page
from soundstage.kernels.reddit.rules.listings import page, sort_things
from soundstage.kernels.reddit.rules.things import Comment, as_comment
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a page of a user's comments in communities that the acting account may read."""
    requested_name, sort, time = arguments["username"], arguments["sort"], arguments["time_filter"]
    author = author_named(context, username(requested_name))
    if author is None:
        raise http_error(404, f"Failed to get comments for user {requested_name}")
    hidden = hidden_names(context)
    rows = [row for row in context.list("comment", {"author": author}) if row.get("subreddit") not in hidden]
    comments = sort_things(context, [as_comment(row) for row in rows], sort, time)
    shown = page(comments, arguments["limit"], arguments.get("after"))
    if not shown.items:
        return f"No comments found for u/{requested_name} with the specified filters."
    host = host_of(context)
    listed = "\n\n".join(_shown(number, comment, host) for number, comment in enumerate(shown.items, start=1))
    return f"# Comments by u/{requested_name} ({sort} - {time})\n\n{listed}{next_page(shown)}"


def _shown(number: int, comment: Comment, host: Host) -> str:
    return (
        f"### {number}. Comment {comment_marks(comment)}\n"
        f'In r/{comment.subreddit} on "{comment.link_title}"\n\n'
        f"> {cut(comment.body or '', 300, 300)}\n\n"
        f"- Score: {host.number(comment.score)}\n"
        f"- Posted: {host.moment(comment.created_utc)}\n"
        f"- Link: {SITE}{comment.permalink}"
    )
