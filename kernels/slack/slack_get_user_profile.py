"""The `slack_get_user_profile` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.values import required_arguments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return one user's profile (users.profile.get)."""
    (user_id,) = required_arguments(arguments, "user_id")
    who = identity.bot(context)
    who.calls("users.profile.get")
    who.needs("users.profile:read")
    user = context.get("user", user_id)
    if user is None:
        raise SlackError("user_not_found")
    return {"ok": True, "profile": user.get("profile") or {}}
