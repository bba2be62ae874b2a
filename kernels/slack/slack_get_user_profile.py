"""Read one user's profile (users.profile.get)."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from contexts.engine.schema import Object
from kernels.slack.rules import identity
from kernels.slack.rules.errors import SlackError
from kernels.slack.rules.values import required
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    (user_id,) = required(arguments, "user_id")
    who = identity.bot(context)
    who.calls("users.profile.get")
    who.needs("users.profile:read")
    user = context.get("user", user_id)
    if user is None:
        raise SlackError("user_not_found")
    return {"ok": True, "profile": user.get("profile") or {}}
