"""The `reply_to_post` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.communities import hidden_names
from soundstage.kernels.reddit.rules.errors import RedditError, Unfinished, http_error
from soundstage.kernels.reddit.rules.identifiers import fullname
from soundstage.kernels.reddit.rules.identity import writer
from soundstage.kernels.reddit.rules.safe_mode import write
from soundstage.kernels.reddit.rules.things import as_post
from soundstage.kernels.reddit.rules.writing import (
    COMMENT_MAX,
    need_open_thread,
    need_rate_limit,
    need_text,
    new_id,
)
from soundstage.kernels.types import Arguments

_FIRST_ID = "n50001"


def run(context: AppContext, arguments: Arguments) -> str | Unfinished:
    """Reply to a post or a comment.

    The server checks before it writes that a post exists, but not that a comment does.
    """
    author, parent, text = writer(context), arguments["post_id"], arguments["content"]
    return write(context, author, text, None, lambda: _reply(context, author, parent, text))


def _reply(context: AppContext, author: str, requested_id: str, text: str) -> str:
    parent = fullname(requested_id, "t3")
    comment = context.get("comment", parent[3:]) if parent.startswith("t1_") else None
    link = (comment or {}).get("link_id", "") if parent.startswith("t1_") else parent
    post = context.get("post", link.removeprefix("t3_"))
    is_hidden = post is not None and post.get("subreddit") in hidden_names(context)
    if parent.startswith("t3_") and (post is None or is_hidden):
        raise RedditError("not_found", f"Post with ID {requested_id} does not exist or is not accessible")
    need_text(text, COMMENT_MAX)
    if post is not None:
        need_rate_limit(context, post.get("subreddit", ""))
    need_open_thread(post, comment, is_reply=parent.startswith("t1_"))
    if post is None or is_hidden:
        raise http_error(403, "Failed to reply")
    key = _add(context, author, post, parent, text)
    return (
        "# Reply Posted Successfully\n\n"
        "## Comment Details\n"
        f"- Posted to: {requested_id}\n"
        f"- Author: u/{author}\n"
        f"- Comment ID: {key}\n\n"
        "Your reply has been successfully posted."
    )


def _add(context: AppContext, author: str, post: Object, parent: str, text: str) -> str:
    """Create the comment's row, update the post's comment count and return the new id."""
    key = new_id(context, "comment", _FIRST_ID)
    shown = as_post(context, post)
    context.create(
        "comment",
        {
            "id": key,
            "author": author,
            "body": text,
            "score": 1,
            "subreddit": shown.subreddit,
            "parent_id": parent,
            "link_id": shown.fullname,
            "created_utc": float(int(context.now().timestamp())),
            "is_submitter": author == shown.author,
            "permalink": f"{shown.permalink}{key}/",
            "link_title": shown.title,
            "edited": False,
            "controversiality": 0,
        },
    )
    if post.get("num_comments") is not None:
        context.update("post", shown.id, {"num_comments": post["num_comments"] + 1})
    return key
