"""The acting Reddit account and data that belongs to it alone.

The MCP server signs in with REDDIT_USERNAME and REDDIT_PASSWORD. Every other acting person has a separate server with
their own name. The default account has the name in its `setting` row, else that of the first `user` row, else that of
the recordings.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.errors import RedditError, ServerError
from soundstage.kernels.reddit.rules.host import variable


def account_name(context: AppContext) -> str | None:
    """Return REDDIT_USERNAME, or None if it is not set."""
    if context.account is not None:
        return context.account
    if context.get("setting", "REDDIT_USERNAME") is not None:
        return variable(context, "REDDIT_USERNAME")
    first = context.first("user")
    return variable(context, "REDDIT_USERNAME") if first is None else str(first["name"])


def signed_in(context: AppContext, wanted: str) -> str:
    """Return the name of the acting account, for a tool about that account.

    Raises:
        RedditError: No name is set; `wanted` describes the request.
    """
    name = account_name(context)
    if name is None:
        raise RedditError("unauthorized", f"{wanted} requires REDDIT_USERNAME")
    return name


def may_write(context: AppContext) -> bool:
    """Return whether the server has the credentials that writing needs."""
    return account_name(context) is not None and variable(context, "REDDIT_PASSWORD") is not None


def writer(context: AppContext) -> str:
    """Return the name of the account that writes.

    Raises:
        Thrown: The name or the password is not set.
    """
    name = account_name(context)
    if name is None or not may_write(context):
        raise ServerError(
            "unauthorized",
            "User authentication required. Please set REDDIT_USERNAME and REDDIT_PASSWORD environment variables.",
        )
    return name


def has_saved(context: AppContext, row: Object, fullname: str) -> bool:
    """Return whether the acting account has saved a post or comment."""
    if context.account is None:
        return bool(row.get("saved"))
    return context.get("saved_thing", (context.account, fullname)) is not None


def user_named(context: AppContext, name: str) -> Object | None:
    """Return the account with a name, ignoring case, or None."""
    match = context.get("user", name)
    if match is None:
        match = next((user for user in context.list("user") if user["name"].lower() == name.lower()), None)
    return match


def author_named(context: AppContext, name: str) -> str | None:
    """Return the name, as spelt, of an account that the state lists or that has written something."""
    user = user_named(context, name)
    if user is not None:
        return str(user["name"])
    has_written = any(context.first(entity, {"author": name}) is not None for entity in ("post", "comment"))
    return name if has_written else None
