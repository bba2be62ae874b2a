"""The `get_post_comments` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.social.trees import Branch
from soundstage.kernels.reddit.rules.errors import ServerError
from soundstage.kernels.reddit.rules.host import Host, host_of
from soundstage.kernels.reddit.rules.identifiers import subreddit_name, thing_id
from soundstage.kernels.reddit.rules.things import Comment, as_post
from soundstage.kernels.reddit.rules.threads import comments_of, post_in
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a post's thread, without comment ids and without its "more" entries."""
    if arguments["post_id"] == "" or arguments["subreddit"] == "":
        raise ServerError("invalid", "post_id and subreddit are required")
    community = subreddit_name(arguments["subreddit"])
    key = thing_id(arguments["post_id"])
    post = as_post(context, post_in(context, community, key, "Failed to get comments"))
    host = host_of(context)
    heading = (
        f"# Comments for: {post.title}\n\n"
        f"**Post by u/{post.author} in r/{post.subreddit}**\n"
        f"- Score: {host.number(post.score)} | Comments: {host.number(post.num_comments)}\n"
        f"- Posted: {host.moment(post.created_utc)}\n\n---\n\n"
    )
    branches = comments_of(context, post, arguments["sort"], arguments["limit"])
    if not branches:
        return f"{heading}No comments found for this post."
    return heading + "\n\n".join(_shown(branch, host) for branch in branches)


def _shown(branch: Branch[Comment], host: Host) -> str:
    comment = branch.node
    badges = (" **[OP]**" if comment.is_submitter else "") + (" *(edited)*" if comment.edited else "")
    return (
        f"{'└─' * min(branch.depth, 3)} **u/{comment.author}**{badges} ({host.number(comment.score)} points)\n\n"
        f"{comment.body}\n\n---"
    )
