"""The `usergroups_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity, usergroups
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.values import comma_separated, go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a user group without members (usergroups.create)."""
    name, handle, description, channels = (
        go_text(arguments, argument) for argument in ("name", "handle", "description", "channels")
    )
    if not name:
        raise Refusal("name is required")
    who = identity.person(context)
    return usergroups.as_json(usergroups.create(context, who, name, handle, description, comma_separated(channels)))
