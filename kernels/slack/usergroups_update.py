"""The `usergroups_update` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity, usergroups
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.values import comma_separated, go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Change a user group's name, handle, description or default channels (usergroups.update).

    Empty texts change nothing.
    """
    group_id = go_text(arguments, "usergroup_id")
    if not group_id:
        raise Refusal("usergroup_id is required")
    texts = {name: go_text(arguments, name) for name in ("name", "handle", "description")}
    changes = {name: text for name, text in texts.items() if text}
    channels = go_text(arguments, "channels")
    if not changes and not channels:
        raise Refusal("at least one update field (name, handle, description, or channels) is required")
    channel_ids = comma_separated(channels) if channels else None
    who = identity.person(context)
    return usergroups.as_json(usergroups.update(context, who, group_id, changes, channel_ids))
