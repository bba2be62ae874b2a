"""Public posts: their words, tags and pictures, and the comments below them."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.ids import make_id
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.forms import TURN, TraceError, delay, known, known_flags, needed
from soundstage.worlds.builder.traces import Traces

# Delay until a comment, in minutes by percentile.
_COMMENTS = ((0, 4), (20, 35), (50, 240), (80, 1500), (100, 6000))
_SIZES = ((1080, 1440), (1080, 1440), (1440, 1080), (1080, 1080))


def add_post(traces: Traces, value: Any, at: int | None, where: str) -> Draft:
    """Add a post: `by`, `title`, `text` (its last line may be #tags), figures, and `comments` as turns.

    A comment is `who +delay flags: text`. The delay counts from the previous comment. `id=x` names a comment, `to=x` replies to
    it, `likes=12` is its figure, and `recalled` means that it was taken down: only the notice to the post's author remains.
    """
    given = known(value, "key", "app", "by", "title", "text", "topic", "created", "likes", "collects", "shares", "pictures",
                  "video", "liked", "collected", "closed", "comments", "also")  # fmt: skip
    by = traces.person(needed(given, "by"))
    app = str(given.get("app") or traces.app_of("post"))
    if app not in by.values["accounts"]:
        raise TraceError(f"{by.key} has no account in {app}, where this is posted")
    created = traces.moment(given["created"]) if "created" in given else at
    if created is None:
        raise TraceError("needs `created`")
    if created > traces.spec.epoch_ms:
        raise TraceError("comes after the world's epoch")
    text, tags = _tags(str(needed(given, "text")))
    key = str(given.get("key") or f"{by.key}/{given['title']}")
    draw = Draw(traces.spec.seed, "post", key)
    values: dict[str, Any] = {
        "by": by, "author": by, "title": given["title"], "tags": tags, "topic": given.get("topic"),
        "form": "video" if given.get("video") else "text", "closed": given.get("closed", False),
        "liked": given.get("liked", False), "collected": given.get("collected", False), "also": given.get("also"),
        "likes": given.get("likes"), "collects": given.get("collects"), "shares": given.get("shares"),
        "pictures": _pictures(traces, key, 1 if given.get("video") else given.get("pictures"), draw),
        "seconds": draw.between(14, 170), "comments": [],
    }  # fmt: skip
    post = traces.plan.add(Draft("post", key, app, created, values, where))
    traces.words(post, "title", str(given["title"]), where, None)
    traces.words(post, "text", text, where, None)
    now, named = created, dict[str, Draft]()
    for turn in given.get("comments", []):
        if not isinstance(turn, dict) or len(turn) != 1:
            raise TraceError('a comment is one `who +delay: "text"`')
        ((head, content),) = turn.items()
        match = TURN.match(head)
        if match is None:
            raise TraceError(f"{head!r} is no `who +delay flags`, such as `lin_yue +4m`")
        flags = known_flags(match["flags"], "id", "to", "likes", "recalled")
        now += delay(match["delay"]) if match["delay"] else draw.from_steps(_COMMENTS) * 30_000
        answers = named.get(flags["to"]) if "to" in flags else None
        if "to" in flags and answers is None:
            raise TraceError(f"no comment before this one is named {flags['to']!r} (`id={flags['to']}`)")
        likes = int(flags["likes"]) if "likes" in flags else None
        comment = add_comment(
            traces, post, traces.person(match["who"]), str(content), now + draw.below(50_000), where,
            answers=answers, likes=likes, removed="recalled" in flags,
        )  # fmt: skip
        if "id" in flags:
            named[flags["id"]] = comment
    return post


def add_comment(
    traces: Traces, post: Draft, author: Draft, text: str, at: int, where: str, *,
    answers: Draft | None = None, likes: int | None = None, removed: bool = False,
) -> Draft:  # fmt: skip
    """A comment below a post, or an answer to another comment."""
    if post.app not in author.values["accounts"]:
        raise TraceError(f"{author.key} has no account in {post.app}, where this is said")
    if at > traces.spec.epoch_ms:
        raise TraceError(f"the comment of {author.key} comes after the world's epoch")
    number = len(post.values["comments"])
    values: dict[str, Any] = {
        "place": post, "post": post, "author": author, "by": author, "answers": answers, "likes": likes,
        "root": (answers.values["root"] or answers) if answers else None, "removed": removed,
        "by_author": author is post.values["author"], "liked": False,
    }  # fmt: skip
    comment = Draft("comment", f"{post.key}/{number}", post.app, at, values, where)
    post.values["comments"].append(comment)
    if not removed:
        traces.plan.add(comment)
    traces.words(comment, "text", text, where, None)
    return comment


def _tags(text: str) -> tuple[str, list[str]]:
    """A text without its last line of #tags, and the tags."""
    body, _, last = text.strip().rpartition("\n")
    words = last.split()
    if not words or not all(word.startswith("#") for word in words):
        return text.strip(), []
    return body.strip(), [word.lstrip("#") for word in words]


def _pictures(traces: Traces, key: str, wanted: int | None, draw: Draw) -> list[dict[str, Any]]:
    number = wanted if wanted is not None else draw.weighted([(1, 30), (2, 15), (3, 20), (4, 15), (6, 12), (9, 8)])
    width, height = draw.choice(_SIZES)
    return [
        {"width": width, "height": height, "name": make_id("{hex:24}/1040g008{hex:12}", traces.spec.seed, key, i)}
        for i in range(number)
    ]
