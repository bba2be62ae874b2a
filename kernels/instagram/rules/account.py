"""The server's login, and whether the Graph API accepts it.

The account is that of the acting person. For the default account, the login's `ig_user_id` names it, by default the
first `ig_user`. Tools of the server also accept an `ig_user_id`, which their schemas do not list.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError, ServerError, unsupported
from soundstage.kernels.types import Arguments

OWN = "own"
"""The key of the default account's rows in `session` and `quota_usage`."""

_PAGE = "104850000000001"
"""The Facebook page of an account without a page in the state, as configured on the recorded server."""


def me(context: AppContext) -> str:
    """Return the id of the acting account.

    Raises:
        ServerError: The state has no account.
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
    """Return the `session` row of the acting account, or an empty one."""
    return context.get("session", context.account or OWN) or {}


def authorize(context: AppContext) -> None:
    """Check the access token, as the Graph API does before anything else.

    Raises:
        GraphError: Invalid OAuth access token.
    """
    if login(context).get("access_token_valid") is False:
        raise GraphError("unauthorized", "Invalid OAuth access token.")


def own_user(context: AppContext, arguments: Arguments, method: str = "get") -> Object:
    """Return the account of a request, which must be the acting one: edges of other accounts cannot be read.

    Raises:
        ServerError: See `me`.
        GraphError: The token is invalid, or `ig_user_id` is another account's.
    """
    wanted = arguments.get("ig_user_id") or me(context)
    authorize(context)
    user = context.get("ig_user", wanted)
    if user is None or wanted != me(context):
        raise unsupported(method, wanted)
    return user


def page_of(context: AppContext) -> str | None:
    """Return the Facebook page of the acting account, whose token serves direct messages, or None."""
    if login(context).get("page_linked") is False:
        return None
    user = context.get("ig_user", me(context)) or {}
    return str(user.get("page_id") or _PAGE)
