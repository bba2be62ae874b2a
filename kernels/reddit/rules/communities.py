"""Communities, and which of them the acting account may read and post in."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.identity import account_name

_EVERYTHING = frozenset({"all", "popular"})
"""Names under which Reddit lists every public community."""


def find_community(context: AppContext, name: str) -> Object | None:
    """Return the community with a name, ignoring case, or None."""
    match = context.get("subreddit", name)
    if match is None:
        every = context.list("subreddit")
        match = next((community for community in every if community["display_name"].lower() == name.lower()), None)
    return match


def may_read(context: AppContext, community: Object) -> bool:
    """Return whether the acting account may read a community; private ones admit approved users only."""
    return community.get("subreddit_type") != "private" or _is_approved(context, community)


def may_post(context: AppContext, community: Object) -> bool:
    """Return whether the acting account may post in a community; every reader may comment."""
    return community.get("subreddit_type") not in ("private", "restricted") or _is_approved(context, community)


def readable(context: AppContext, name: str, request: str) -> Object:
    """Return the community with a name.

    Raises:
        RedditError: HTTP 404 if there is none, 403 if it is private; `request` describes the request.
    """
    community = find_community(context, name)
    if community is None:
        raise http_error(404, request)
    if not may_read(context, community):
        raise http_error(403, request)
    return community


def readable_names(context: AppContext, name: str, request: str) -> list[str]:
    """Return the readable communities whose posts a listing shows; `name` may join several by `+`.

    Raises:
        RedditError: None of them is readable; see `readable`.
    """
    parts = name.split("+")
    if len(parts) == 1 and name.lower() not in _EVERYTHING:
        return [readable(context, name, request)["display_name"]]
    communities = [c for part in parts if (c := find_community(context, part)) is not None]
    if any(part.lower() in _EVERYTHING and find_community(context, part) is None for part in parts):
        communities += context.list("subreddit", {"subreddit_type": "public"})
    if not communities:
        raise http_error(404, request)
    names = [c["display_name"] for c in communities if may_read(context, c)]
    if not names:
        raise http_error(403, request)
    return names


def hidden_names(context: AppContext) -> frozenset[str]:
    """Return the communities that the acting account may not read."""
    closed = context.list("subreddit", {"subreddit_type": "private"})
    return frozenset(c["display_name"] for c in closed if not may_read(context, c))


def _is_approved(context: AppContext, community: Object) -> bool:
    return account_name(context) in (community.get("approved") or ())


def of_community(context: AppContext, entity: str, community: Object) -> list[Object]:
    """Return the flairs or rules of a community, including rows without a community."""
    mine = (None, community["display_name"])
    return [row for row in context.list(entity) if row.get("subreddit") in mine]
