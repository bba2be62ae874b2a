"""Whose login the server holds, and whether the Graph API accepts it.

The account is that of whoever acts; where that is the one which the state itself gives, the login's `ig_user_id` names it, or it
is the first `ig_user`. Tools of the server take an `ig_user_id` besides, which their schemas do not show.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError, ServerError, unsupported
from soundstage.kernels.types import Arguments

OWN = "own"
"""The key of what belongs to the account which the state itself gives, in `session` and `quota_usage`."""

_PAGE = "104850000000001"
"""The page of an account of which the state names none, as the recorded server was set."""


def me(context: AppContext) -> str:
    """The id of the account that acts.

    Raises:
        ServerError: when the state holds no account.
    """
    if context.account is not None:
        return context.account
    named = login(context).get("ig_user_id") or (context.first("ig_user") or {}).get("id")
    if named is None:
        raise ServerError(
            "unauthorized",
            "Could not auto-detect Instagram user ID. Set INSTAGRAM_USER_ID environment variable.",
        )
    return str(named)


def login(context: AppContext) -> Object:
    """The `session` row of whoever acts; empty where nothing is said of it."""
    return context.get("session", context.account or OWN) or {}


def authorize(context: AppContext) -> None:
    """Have the Graph API look at the access token, as it does before it looks at anything else.

    Raises:
        GraphError: Invalid OAuth access token.
    """
    if login(context).get("access_token_valid") is False:
        raise GraphError("unauthorized", "Invalid OAuth access token.")


def own_user(context: AppContext, arguments: Arguments, method: str = "get") -> Object:
    """The account that a request is about, which is the one that acts: no edge of another account can be read.

    Raises:
        ServerError: see `me`.
        GraphError: for a bad token, or an `ig_user_id` that is somebody else's.
    """
    wanted = arguments.get("ig_user_id") or me(context)
    authorize(context)
    user = context.get("ig_user", wanted)
    if user is None or wanted != me(context):
        raise unsupported(method, wanted)
    return user


def page_of(context: AppContext) -> str | None:
    """The Facebook page of the account that acts, with whose token direct messages are read and written; None without one."""
    if login(context).get("page_linked") is False:
        return None
    user = context.get("ig_user", me(context)) or {}
    return str(user.get("page_id") or _PAGE)
