"""The `usergroups_users_update` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity, usergroups
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.values import comma_separated, go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Replace the members of a user group (usergroups.users.update)."""
    group_id = go_text(arguments, "usergroup_id")
    if not group_id:
        raise Refusal("usergroup_id is required")
    users = go_text(arguments, "users")
    if not users:
        raise Refusal("users is required")
    group = usergroups.set_members(context, identity.person(context), group_id, comma_separated(users))
    return usergroups.as_json(group, with_users=True)
