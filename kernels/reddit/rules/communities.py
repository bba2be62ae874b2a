"""Communities: which there are, and which of them whoever acts may read and post in."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.errors import http_error
from soundstage.kernels.reddit.rules.identity import account_name

_EVERYTHING = frozenset({"all", "popular"})
"""Names under which Reddit lists every public community."""


def named(context: AppContext, name: str) -> Object | None:
    """A community, by its name in whatever case; None where nobody has made it."""
    found = context.get("subreddit", name)
    if found is None:
        every = context.list("subreddit")
        found = next((community for community in every if community["display_name"].lower() == name.lower()), None)
    return found


def may_read(context: AppContext, community: Object) -> bool:
    """Whether whoever acts may look into a community: a private one lets in its approved users alone."""
    return community.get("subreddit_type") != "private" or _is_approved(context, community)


def may_post(context: AppContext, community: Object) -> bool:
    """Whether whoever acts may post there; commenting is open to all who may read."""
    return community.get("subreddit_type") not in ("private", "restricted") or _is_approved(context, community)


def readable(context: AppContext, name: str, request: str) -> Object:
    """The community of this name.

    Raises:
        RedditError: HTTP 404 where there is none, 403 where it is private; `request` describes what was asked for.
    """
    community = named(context, name)
    if community is None:
        raise http_error(404, request)
    if not may_read(context, community):
        raise http_error(403, request)
    return community


def readable_names(context: AppContext, name: str, request: str) -> list[str]:
    """The communities whose posts a listing of `name` has; several may be joined by `+`, of which those count that can be read.

    Raises:
        RedditError: as `readable`, where not one can be read.
    """
    parts = name.split("+")
    if len(parts) == 1 and name.lower() not in _EVERYTHING:
        return [readable(context, name, request)["display_name"]]
    communities = [c for part in parts if (c := named(context, part)) is not None]
    if any(part.lower() in _EVERYTHING and named(context, part) is None for part in parts):
        communities += context.list("subreddit", {"subreddit_type": "public"})
    if not communities:
        raise http_error(404, request)
    names = [c["display_name"] for c in communities if may_read(context, c)]
    if not names:
        raise http_error(403, request)
    return names


def hidden_names(context: AppContext) -> frozenset[str]:
    """The communities that whoever acts may not look into."""
    closed = context.list("subreddit", {"subreddit_type": "private"})
    return frozenset(c["display_name"] for c in closed if not may_read(context, c))


def _is_approved(context: AppContext, community: Object) -> bool:
    return account_name(context) in (community.get("approved") or ())


def of_community(context: AppContext, entity: str, community: Object) -> list[Object]:
    """The flairs or rules of a community: its own, and those that name none, which are every community's."""
    mine = (None, community["display_name"])
    return [row for row in context.list(entity) if row.get("subreddit") in mine]
