"""The `usergroups_list` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import identity, usergroups
from soundstage.kernels.slack.rules.values import go_flag
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the user groups (usergroups.list). Member ids are never shown, not even with `include_users`."""
    with_disabled = go_flag(arguments, "include_disabled", False)
    groups = usergroups.list_groups(context, identity.person(context), with_disabled=with_disabled)
    return usergroups.as_csv(groups, with_count=go_flag(arguments, "include_count", True))
