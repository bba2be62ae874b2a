"""Reddit as people see it: communities, their posts, and one post with its comment tree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import END_MS, from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.social.trees import Branch, thread
from soundstage.kernels.reddit.rules.host import host_of
from soundstage.kernels.reddit.rules.identity import account_name
from soundstage.kernels.reddit.rules.listings import created, hotness, score
from soundstage.kernels.reddit.rules.things import Comment, Post, as_comment, as_post, was_deleted
from soundstage.servers.view import Query, View

_PER_PAGE = 25
_MOST_COMMENTS = 300
_SORTS = {"hot": hotness, "new": created, "top": score}
_DEEPEST = 7
_FACES = {"private": "🔒", "restricted": "🛡"}


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render a post (`post`), an account (`user`), or the feed of `community` by `sort` from `offset`."""
    communities = sorted(context.list("subreddit", limit=500), key=lambda c: str(c["display_name"]).lower())
    data: dict[str, Any] = {
        "communities": [_community(context, c) for c in communities],
        "account": account_name(context),
        "community": None,
        "post": None,
        "person": None,
    }
    zone = host_of(context).zone
    row = context.get("post", query.get("post", "")) if query.get("post") else None
    if row is not None:
        post = as_post(context, row)
        data |= {"post": _card(post, row), "text": post.selftext, "comments": _comments(context, post)}
        data["community"] = _named(context, post.subreddit)
        return View("post.html.jinja", data, zone)
    if user := context.get("user", query.get("user", "")) if query.get("user") else None:
        data |= {"person": user, "since": _moment(user.get("created_utc"))}
        data |= _feed(context, {"author": user["name"]}, query)
        data["said"] = [_comment(Branch(as_comment(c), 0)) for c in _newest(context, user["name"])]
        return View("feed.html.jinja", data, zone)
    data["community"] = _named(context, query.get("community", ""))
    where = {"subreddit": data["community"]["name"]} if data["community"] else {}
    return View("feed.html.jinja", data | _feed(context, where, query), zone)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a post, comment, community, rule, flair or account."""
    match entity:
        case "post":
            return {"post": str(value.get("id"))}
        case "comment":
            return {"post": str(value.get("link_id")).removeprefix("t3_")}
        case "subreddit":
            return {"community": str(value.get("display_name"))}
        case "rule" | "flair" if value.get("subreddit"):
            return {"community": str(value["subreddit"])}
        case "user":
            return {"user": str(value.get("name"))}
        case _:
            return None


def _feed(context: AppContext, where: Object, query: Query) -> dict[str, Any]:
    """Return a page of posts without deleted ones."""
    sort = query.get("sort", "hot") if query.get("sort") in _SORTS else "hot"
    offset = int(query["offset"]) if query.get("offset", "").isdigit() and len(query["offset"]) < 9 else 0
    rows = {row["id"]: row for row in context.list("post", where) if not was_deleted(row)}
    posts = sorted((as_post(context, row) for row in rows.values()), key=_SORTS[sort], reverse=True)
    cards = [_card(post, rows[post.id]) for post in posts[offset : offset + _PER_PAGE]]
    return {
        "cards": cards,
        "total": len(posts),
        "offset": offset,
        "per_page": _PER_PAGE,
        "sort": sort,
        "sorts": list(_SORTS),
    }


def _newest(context: AppContext, author: str) -> list[Object]:
    return context.list("comment", {"author": author}, order="-created_utc", limit=_PER_PAGE)


def _community(context: AppContext, row: Object) -> dict[str, Any]:
    name = str(row["display_name"])
    return {
        "name": name,
        "title": row.get("title") or name,
        "about": row.get("public_description") or "",
        "subscribers": row.get("subscribers") or 0,
        "kind": row.get("subreddit_type") or "public",
        "face": _FACES.get(str(row.get("subreddit_type")), ""),
    }


def _named(context: AppContext, name: str) -> dict[str, Any] | None:
    """Return a community with its rules and flairs."""
    row = context.get("subreddit", name) if name else None
    if row is None:
        return None
    rules = sorted(context.list("rule", {"subreddit": name}), key=lambda rule: rule.get("priority", 0))
    flairs = context.list("flair", {"subreddit": name})
    return {
        **_community(context, row),
        "since": _moment(row.get("created_utc")),
        "rules": [str(rule.get("short_name") or "") for rule in rules],
        "flairs": [str(flair.get("text") or "") for flair in flairs],
    }


def _card(post: Post, row: Object) -> dict[str, Any]:
    """Return what a card shows of a post."""
    return {
        "id": post.id,
        "title": post.title or "(no title)",
        "author": post.author,
        "community": post.subreddit,
        "score": score(post),
        "comments": post.num_comments,
        "flair": post.flair,
        "at": _moment(post.created_utc),
        "teaser": post.selftext if post.is_self else "",
        "link": "" if post.is_self else post.url,
        "marks": [
            name
            for name, is_set in (
                ("NSFW", post.over_18),
                ("spoiler", post.spoiler),
                ("edited", post.edited),
                ("locked", row.get("locked")),
                ("archived", row.get("archived")),
                ("saved", row.get("saved")),
                ("deleted", was_deleted(row)),
            )
            if is_set
        ],
    }


def _comments(context: AppContext, post: Post) -> list[dict[str, Any]]:
    """Return a thread in reading order, highest scores first."""
    tree = thread(
        [as_comment(row) for row in context.list("comment", {"link_id": post.fullname})],
        post.fullname,
        name=lambda comment: comment.fullname,
        parent=lambda comment: comment.parent_id,
        order=lambda comment: -score(comment),
        limit=_MOST_COMMENTS,
        max_depth=1000,
    )
    return [_comment(branch) for branch in tree.shown]


def _comment(branch: Branch[Comment]) -> dict[str, Any]:
    comment = branch.node
    return {
        "id": comment.id,
        "author": comment.author,
        "text": comment.body or "",
        "score": score(comment),
        "at": _moment(comment.created_utc),
        "depth": min(branch.depth, _DEEPEST),
        "by_author": comment.is_submitter,
        "edited": comment.edited,
        "post": comment.link_id.removeprefix("t3_"),
        "title": comment.link_title,
    }


def _moment(seconds: float | None) -> datetime | None:
    return (
        from_ms(int(seconds * 1000)).astimezone(UTC) if seconds is not None and 0 <= seconds * 1000 < END_MS else None
    )
