"""Which Reddit account acts, and what is told of that account alone.

The MCP server signs in with REDDIT_USERNAME and REDDIT_PASSWORD. Whoever acts has a server of his own with his own name; that of
the account which the state itself gives has the name that its `setting` says, else that of the first `user` row, and without any
user that of the recordings.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.errors import RedditError, Thrown
from soundstage.kernels.reddit.rules.host import variable


def account_name(context: AppContext) -> str | None:
    """REDDIT_USERNAME; None while it is not set."""
    if context.account is not None:
        return context.account
    if context.get("setting", "REDDIT_USERNAME") is not None:
        return variable(context, "REDDIT_USERNAME")
    first = context.first("user")
    return variable(context, "REDDIT_USERNAME") if first is None else str(first["name"])


def signed_in(context: AppContext, wanted: str) -> str:
    """The name of whoever acts, for a tool that is about his own account.

    Raises:
        RedditError: while no name is set; `wanted` is what was to be fetched.
    """
    name = account_name(context)
    if name is None:
        raise RedditError("unauthorized", f"{wanted} requires REDDIT_USERNAME")
    return name


def may_write(context: AppContext) -> bool:
    """Whether the server has the credentials that writing needs."""
    return account_name(context) is not None and variable(context, "REDDIT_PASSWORD") is not None


def writer(context: AppContext) -> str:
    """The name of whoever writes.

    Raises:
        Thrown: without name or password.
    """
    name = account_name(context)
    if name is None or not may_write(context):
        raise Thrown(
            "unauthorized",
            "User authentication required. Please set REDDIT_USERNAME and REDDIT_PASSWORD environment variables.",
        )
    return name


def has_saved(context: AppContext, row: Object, fullname: str) -> bool:
    """Whether whoever acts has saved a post or comment."""
    if context.account is None:
        return bool(row.get("saved"))
    return context.get("saved_thing", (context.account, fullname)) is not None


def user_named(context: AppContext, name: str) -> Object | None:
    """An account, by its name in whatever case; None where nobody has it."""
    found = context.get("user", name)
    if found is None:
        found = next((user for user in context.list("user") if user["name"].lower() == name.lower()), None)
    return found


def author_named(context: AppContext, name: str) -> str | None:
    """The name of an account with a page of its own, as it is spelt: one that the state lists, or that has written something."""
    user = user_named(context, name)
    if user is not None:
        return str(user["name"])
    has_written = any(context.first(entity, {"author": name}) is not None for entity in ("post", "comment"))
    return name if has_written else None
