"""Markdown layouts that several tools share.

Source: `src/index.ts` and `src/utils/formatters.ts` in https://github.com/jordanburke/reddit-mcp-server.
"""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.kernels.reddit.rules.host import Host, iso
from soundstage.kernels.reddit.rules.javascript import cut, to_fixed
from soundstage.kernels.reddit.rules.listings import Page
from soundstage.kernels.reddit.rules.things import Comment, Post

SITE = "https://reddit.com"


def percent(ratio: float | None) -> str:
    """Format a ratio as the tools do: 97.0 for 0.97."""
    return to_fixed(None if ratio is None else ratio * 100, 1)


def next_page(page: Page[Post] | Page[Comment] | Page[Post | Comment]) -> str:
    """Return the footer of a page that is not the last one."""
    if page.after is None:
        return ""
    return f'\n\n---\nMore results available — call again with after="{page.after}" for the next page.'


def format_feed(posts: Sequence[Post], host: Host) -> str:
    """Format posts as a community's feed shows them, with times in UTC."""
    return "\n\n".join(
        f"### {number}. {post.title}\n"
        f"- Author: u/{post.author}\n"
        f"- Score: {host.number(post.score)} ({percent(post.upvote_ratio)}% upvoted)\n"
        f"- Comments: {host.number(post.num_comments)}\n"
        f"- Posted: {iso(post.created_utc)}\n"
        f"- Link: https://redd.it/{post.id}"
        for number, post in enumerate(posts, start=1)
    )


def listed_posts(posts: Sequence[Post], host: Host, *, with_author: bool) -> str:
    """Format posts as searches and user listings show them, with times in the host's format."""
    return "\n\n".join(
        f"### {number}. {post.title} {_marks(('**NSFW**', post.over_18), ('**Spoiler**', post.spoiler))}\n"
        f"- Subreddit: r/{post.subreddit}\n"
        + (f"- Author: u/{post.author}\n" if with_author else "")
        + f"- Score: {host.number(post.score)} ({percent(post.upvote_ratio)}% upvoted)\n"
        f"- Comments: {host.number(post.num_comments)}\n"
        f"- Posted: {host.moment(post.created_utc)}\n"
        f"- Link: {SITE}{post.permalink}"
        for number, post in enumerate(posts, start=1)
    )


def comment_marks(comment: Comment) -> str:
    """Return the marks after the heading of a comment in a list."""
    return _marks(("*(edited)*", comment.edited), ("**OP**", comment.is_submitter))


def format_overview(heading: str, page: Page[Post | Comment], host: Host) -> str:
    """Format one account's posts and comments in separate sections."""
    posts = [item for item in page.items if isinstance(item, Post)]
    comments = [item for item in page.items if isinstance(item, Comment)]
    sections = [f"# {heading}"]
    if posts:
        lines = (
            f"{number}. {post.title} — r/{post.subreddit}, score {host.number(post.score)} — {SITE}{post.permalink}"
            for number, post in enumerate(posts, start=1)
        )
        sections.append("\n".join((f"## Posts ({len(posts)})", *lines)))
    if comments:
        lines = (
            f"{number}. in r/{comment.subreddit}: {cut(comment.body or '', 200, 200)} — {SITE}{comment.permalink}"
            for number, comment in enumerate(comments, start=1)
        )
        sections.append("\n".join((f"## Comments ({len(comments)})", *lines)))
    if not page.items:
        sections.append("No items found.")
    return "\n\n".join(sections) + next_page(page)


def _marks(*marks: tuple[str, bool]) -> str:
    return " ".join(text for text, is_set in marks if is_set)
