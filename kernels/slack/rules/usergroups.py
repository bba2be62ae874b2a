"""User groups: usergroups.create, update, list and users.update, and their representation."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels
from soundstage.kernels.slack.rules.csv_rows import csv_text
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.timestamps import rfc3339

_COLUMNS = ("id", "name", "handle", "description", "user_count", "is_external", "date_create", "date_update")


def list_groups(context: AppContext, who: Identity, *, with_disabled: bool = False) -> list[Object]:
    """Perform usergroups.list.

    Raises:
        SlackError: plan_upgrade_required.
    """
    _enter(context, who, "usergroups.list", "usergroups:read")
    groups = context.list("usergroup")
    return groups if with_disabled else [g for g in groups if not g.get("date_delete")]


def members(context: AppContext, who: Identity, group_id: str) -> list[str]:
    """Perform usergroups.users.list.

    Raises:
        SlackError: plan_upgrade_required, no_such_subteam.
    """
    _enter(context, who, "usergroups.users.list", "usergroups:read")
    return list(_group(context, group_id).get("users") or [])


def create(
    context: AppContext, who: Identity, name: str, handle: str, description: str, channel_ids: list[str]
) -> Object:
    """Perform usergroups.create; the default handle is made from the name.

    Raises:
        SlackError: plan_upgrade_required, permission_denied, missing_subteam_name, name_already_exists, bad_handle,
            handle_already_exists, invalid_channel_provided.
    """
    _enter(context, who, "usergroups.create", "usergroups:write", edits=True)
    if not name.strip():
        raise SlackError("missing_subteam_name")
    _check_name(context, name, None)
    handle = handle or re.sub(r"[^\w.-]+", "-", name.strip().lower()).strip("-")
    _check_handle(context, handle, None)
    _check_channels(context, who, channel_ids)
    now = to_s(context.now())
    return context.create(
        "usergroup",
        {
            "id": context.new_id("usergroup"),
            "team_id": who.team_id,
            "is_usergroup": True,
            "is_subteam": True,
            "name": name,
            "description": description,
            "handle": handle,
            "is_external": False,
            "date_create": now,
            "date_update": now,
            "date_delete": 0,
            "created_by": who.user_id,
            "updated_by": who.user_id,
            "prefs": {"channels": channel_ids, "groups": []},
            "users": [],
            "user_count": 0,
        },
    )


def update(context: AppContext, who: Identity, group_id: str, changes: Object, channel_ids: list[str] | None) -> Object:
    """Perform usergroups.update of name, handle or description, and of the default channels if given.

    Raises:
        SlackError: plan_upgrade_required, permission_denied, no_such_subteam, name_already_exists, bad_handle,
            handle_already_exists, invalid_channel_provided.
    """
    _enter(context, who, "usergroups.update", "usergroups:write", edits=True)
    group = _group(context, group_id)
    if "name" in changes:
        _check_name(context, changes["name"], group_id)
    if "handle" in changes:
        _check_handle(context, changes["handle"], group_id)
    if channel_ids is not None:
        _check_channels(context, who, channel_ids)
        changes = {**changes, "prefs": {**(group.get("prefs") or {}), "channels": channel_ids}}
    return context.update("usergroup", group_id, {**changes, **_touched(context, who)})


def set_members(context: AppContext, who: Identity, group_id: str, user_ids: list[str]) -> Object:
    """Perform usergroups.users.update, which replaces the members.

    Raises:
        SlackError: plan_upgrade_required, permission_denied, no_such_subteam, no_users_provided, invalid_users.
    """
    _enter(context, who, "usergroups.users.update", "usergroups:write", edits=True)
    _group(context, group_id)
    if not user_ids:
        raise SlackError("no_users_provided")
    users = [context.get("user", user_id) for user_id in user_ids]
    if not all(user and not user.get("deleted") for user in users):
        raise SlackError("invalid_users")
    user_ids = list(dict.fromkeys(user_ids))
    changes = {"users": user_ids, "user_count": len(user_ids), **_touched(context, who)}
    return context.update("usergroup", group_id, changes)


def as_json(group: Object, *, with_users: bool = False) -> Object:
    """Return a group as the server's JSON, without unset dates and empty member lists."""
    shown: Object = {
        "id": group["id"],
        "name": group.get("name", ""),
        "handle": group.get("handle", ""),
        "description": group.get("description", ""),
        "user_count": user_count(group),
        "is_external": bool(group.get("is_external")),
    }
    for name in ("date_create", "date_update"):
        if date := rfc3339(group.get(name) or -1):
            shown[name] = date
    if with_users and group.get("users"):
        shown["users"] = ",".join(group["users"])
    return shown


def as_csv(groups: list[Object], *, with_count: bool = True) -> str:
    """Format groups as the server's CSV; without counts from Slack, 0 is shown."""
    rows = []
    for group in groups:
        shown = {**as_json(group), "is_external": "true" if group.get("is_external") else "false"}
        shown["user_count"] = shown["user_count"] if with_count else 0
        rows.append([str(shown.get(column, "")) for column in _COLUMNS])
    return csv_text(_COLUMNS, rows)


def user_count(group: Object) -> int:
    """Return the number of members of a group."""
    return len(group["users"]) if isinstance(group.get("users"), list) else int(group.get("user_count") or 0)


def _enter(context: AppContext, who: Identity, method: str, scope: str, *, edits: bool = False) -> None:
    who.calls(method)
    who.needs(scope)
    workspace = context.first("workspace") or {}
    if workspace.get("plan") == "free":
        raise SlackError("plan_upgrade_required")
    user = context.get("user", who.user_id) or {}
    is_guest = user.get("is_restricted") or user.get("is_ultra_restricted")
    is_admin = user.get("is_admin") or user.get("is_owner")
    if edits and (is_guest or (workspace.get("who_can_edit_usergroups") == "admins" and not is_admin)):
        raise SlackError("permission_denied")


def _group(context: AppContext, group_id: str) -> Object:
    group = context.get("usergroup", group_id)
    if group is None:
        raise SlackError("no_such_subteam")
    return group


def _check_name(context: AppContext, name: str, own_id: str | None) -> None:
    others = [g for g in context.list("usergroup") if g["id"] != own_id]
    if any(g.get("name", "").casefold() == name.casefold() for g in others):
        raise SlackError("name_already_exists")


def _check_handle(context: AppContext, handle: str, own_id: str | None) -> None:
    """Require that a handle is valid and unique among groups, users and channels."""
    if not re.fullmatch(r"[\w.-]+", handle):
        raise SlackError("bad_handle")
    others = [g for g in context.list("usergroup", {"handle": handle}) if g["id"] != own_id]
    if others or context.count("user", {"name": handle}) or context.count("channel", {"name": handle}):
        raise SlackError("handle_already_exists")


def _check_channels(context: AppContext, who: Identity, channel_ids: list[str]) -> None:
    for channel_id in channel_ids:
        channel = context.get("channel", channel_id)
        if channel is None or not channels.is_visible(channel, who):
            raise SlackError("invalid_channel_provided")


def _touched(context: AppContext, who: Identity) -> Object:
    return {"date_update": to_s(context.now()), "updated_by": who.user_id}
