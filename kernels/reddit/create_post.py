"""The `create_post` tool."""

import re
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.communities import find_community, may_post, of_community
from soundstage.kernels.reddit.rules.errors import RedditError, Unfinished, api_errors
from soundstage.kernels.reddit.rules.identifiers import subreddit_name
from soundstage.kernels.reddit.rules.identity import writer
from soundstage.kernels.reddit.rules.layout import SITE
from soundstage.kernels.reddit.rules.safe_mode import write
from soundstage.kernels.reddit.rules.things import was_deleted
from soundstage.kernels.reddit.rules.writing import (
    TEXT_MAX,
    TITLE_MAX,
    link_target,
    need_length,
    need_rate_limit,
    need_text,
    new_id,
    same_target,
    slug,
)
from soundstage.kernels.types import Arguments

_FIRST_ID = "1q0001"


@dataclass(frozen=True, slots=True)
class _Draft:
    """A post to be created; `content` is its text, or the address of a link post."""

    author: str
    title: str
    content: str
    is_self: bool
    flair_id: str | None
    flair_text: str | None


def run(context: AppContext, arguments: Arguments) -> str | Unfinished:
    """Create a text or link post and fetch it once more for the reply, as the server does."""
    draft = _Draft(
        writer(context), arguments["title"], arguments["content"], arguments["is_self"],
        arguments.get("flair_id"), arguments.get("flair_text"),
    )  # fmt: skip
    subreddit = arguments["subreddit"]
    return write(
        context, draft.author, draft.title + draft.content, subreddit, lambda: _submit(context, subreddit, draft)
    )


def _submit(context: AppContext, subreddit: str, draft: _Draft) -> str:
    name = subreddit_name(subreddit)
    if name == "":
        raise RedditError("invalid", "A subreddit is required to create a post.")
    community = find_community(context, name)
    if community is None:
        raise api_errors("not_found", "that subreddit doesn't exist")
    if not may_post(context, community):
        raise api_errors("permission", "you aren't allowed to post there.")
    need_text(draft.title, TITLE_MAX)
    need_rate_limit(context, name)
    if draft.is_self:
        need_length(draft.content, TEXT_MAX)
    post = _new_post(context, community, draft)
    kind = "Text Post" if draft.is_self else "Link Post"
    return (
        "# Post Created Successfully\n\n"
        "## Post Details\n"
        f"- Title: {post['title']}\n"
        f"- Subreddit: r/{post['subreddit']}\n"
        f"- Type: {kind}\n"
        f"- Link: {SITE}{post['permalink']}\n\n"
        f"Your post has been successfully submitted to r/{post['subreddit']}."
    )


def _new_post(context: AppContext, community: Object, draft: _Draft) -> Object:
    """Create the row of the post.

    Raises:
        RedditError: The address is invalid, or the community already has it.
    """
    name = community["display_name"]
    title = re.sub(r"\s+", " ", draft.title).strip()
    target = None if draft.is_self else link_target(draft.content)
    if target is not None and _is_taken(context, name, target):
        raise api_errors("conflict", "that link has already been submitted")
    key = new_id(context, "post", _FIRST_ID)
    permalink = f"/r/{name}/comments/{key}/{slug(title)}/"
    post: Object = {
        "id": key,
        "subreddit": name,
        "title": title,
        "author": draft.author,
        "selftext": draft.content if draft.is_self else "",
        "is_self": draft.is_self,
        "url": target or f"https://www.reddit.com{permalink}",
        "score": 1,
        "upvote_ratio": 1.0,
        "num_comments": 0,
        "created_utc": float(int(context.now().timestamp())),
        "permalink": permalink,
        "locked": False,
        "archived": False,
        "over_18": bool(community.get("over18")),
        "spoiler": False,
        "edited": False,
    }
    return context.create("post", post | _flair(context, community, draft))


def _is_taken(context: AppContext, community: str, target: str) -> bool:
    links = context.list("post", {"subreddit": community, "is_self": False})
    return any(same_target(link.get("url", ""), target) for link in links if not was_deleted(link))


def _flair(context: AppContext, community: Object, draft: _Draft) -> Object:
    """Return the columns that a flair adds to a post.

    The caller's text is used if the template may be edited; an unknown flair adds nothing.
    """
    templates = of_community(context, "flair", community)
    template = next((flair for flair in templates if flair["id"] == draft.flair_id), None)
    if template is None:
        return {}
    text = (draft.flair_text if template.get("text_editable") else None) or template.get("text", "")
    return {"link_flair_text": text, "link_flair_template_id": template["id"]}
