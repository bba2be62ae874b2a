"""The `usergroups_me` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity, usergroups
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.values import go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | Object:
    """List the caller's user groups, join one or leave one.

    Joining and leaving write the complete member list, so the last member cannot leave: Slack rejects an empty list.
    """
    action = go_text(arguments, "action")
    if action not in ("list", "join", "leave"):
        raise Refusal("action must be 'list', 'join', or 'leave'")
    who = identity.person(context)
    if action == "list":
        own = [g for g in usergroups.list_groups(context, who) if who.user_id in (g.get("users") or [])]
        return usergroups.as_csv(own)
    group_id = go_text(arguments, "usergroup_id")
    if not group_id:
        raise Refusal("usergroup_id is required for join/leave actions")
    members = usergroups.members(context, who, group_id)
    if action == "join":
        if who.user_id in members:
            return "You are already a member of this user group."
        group = usergroups.set_members(context, who, group_id, [*members, who.user_id])
    else:
        if who.user_id not in members:
            return "You are not a member of this user group."
        group = usergroups.set_members(context, who, group_id, [m for m in members if m != who.user_id])
    return {
        "message": f"Successfully {'joined' if action == 'join' else 'left'} the user group.",
        "group_id": group_id,
        "group_name": group.get("name", ""),
        "user_count": usergroups.user_count(group),
    }
