"""The `INSTAGRAM_GET_USER_BY_USERNAME` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.errors import GraphError
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_SHOWN = ("username", "name", "profile_picture_url", "biography", "followers_count", "follows_count", "media_count")


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Look up a professional account by its username, through the account's business discovery."""
    own_user(context, arguments)
    wanted = arguments["username"].lstrip("@")
    for user in context.list("ig_user"):
        is_found = wanted and str(user.get("username") or "").lower() == wanted.lower()
        if is_found and user.get("account_type") != "PERSONAL":
            return success_envelope({"instagram_user_id": user["id"], **{name: user.get(name) for name in _SHOWN}})
    raise GraphError("not_found", "Invalid user id")
