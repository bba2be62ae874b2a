"""Calendars: lookup, owner, and the caller's role.

A calendar with a `user_id` belongs to that user (or, with an app_id there, to that app); all others have its `role` or
else the role that its `permissions` imply. A calendar without one belongs to the app and to the default account, with
its `role`.
"""

from __future__ import annotations

import re
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.calendar import refusals
from soundstage.kernels.lark.rules.identity import Caller, signed_in_user

Role = Literal["unknown", "free_busy_reader", "reader", "writer", "owner"]

# Public clients pass this instead of an id, which the documentation does not mention.
PRIMARY = "primary"

_ID = re.compile(r"(feishu\.cn|larksuite\.com)_[A-Za-z0-9]+@group\.calendar\.(feishu\.cn|larksuite\.com)", re.ASCII)
_RANKS: dict[Role, int] = {"unknown": 0, "free_busy_reader": 1, "reader": 2, "writer": 3, "owner": 4}
_FOR_OTHERS: dict[str, Role] = {"private": "unknown", "show_only_free_busy": "free_busy_reader", "public": "reader"}


def check_identity(context: AppContext, caller: Caller) -> None:
    """Reject an app without a bot and a user who has left.

    Raises:
        LarkError: 190007, 195100.
    """
    if caller.kind == "app":
        if (context.first("app") or {}).get("bot_enabled") is False:
            raise refusals.no_bot()
    elif is_gone(people.find_user(context, caller.id)):
        raise refusals.user_gone()


def open_calendar(context: AppContext, caller: Caller, calendar_id: str, needs: Literal["reader", "writer"]) -> Object:
    """Return the calendar with an id, on which the caller has at least the needed role.

    Raises:
        LarkError: 191000 to 191004.
    """
    calendar = primary(context, caller) if calendar_id == PRIMARY else context.get("calendar", calendar_id)
    if calendar is None:
        is_formed = calendar_id == PRIMARY or _ID.fullmatch(calendar_id)
        raise refusals.calendar_not_found() if is_formed else refusals.invalid_calendar_id()
    if calendar.get("is_deleted"):
        raise refusals.calendar_deleted()
    if calendar.get("type", "primary") not in ("primary", "shared"):
        raise refusals.invalid_calendar_type()
    if not has_role(calendar, caller, needs):
        raise refusals.no_access_role()
    return calendar


def primary(context: AppContext, caller: Caller) -> Object | None:
    """Return the caller's own calendar."""
    own = _primary_of(context, caller.id) if caller.id else None
    return own or (_unclaimed(context) if caller.is_own else None)


def primary_of_user(context: AppContext, open_id: str) -> Object | None:
    """Return a user's own calendar; one without a user belongs to the default account."""
    own = _primary_of(context, open_id)
    if own is None and context.account is None and (signed_in_user(context) or {}).get("open_id") == open_id:
        return _unclaimed(context)
    return own


def role_of(calendar: Object, caller: Caller) -> Role:
    """Return the caller's role on a calendar."""
    owner = calendar.get("user_id")
    role: Role | None = calendar.get("role")
    if owner is None and caller.is_own:
        return role or "owner"
    if owner == caller.id or not caller.id:
        return "owner"
    # The role of the owner does not apply to others.
    if role is not None and role != "owner":
        return role
    return _FOR_OTHERS.get(calendar.get("permissions", ""), "free_busy_reader")


def has_role(calendar: Object, caller: Caller, needs: Role) -> bool:
    """Return whether the caller has at least a role."""
    return _RANKS.get(role_of(calendar, caller), 0) >= _RANKS[needs]


def owner_id(context: AppContext, calendar: Object) -> str:
    """Return the open_id (an app's: app_id) of a calendar's owner, "" if the state has none."""
    claimed: str | None = calendar.get("user_id")
    if claimed is not None:
        return claimed
    if calendar.get("type", "primary") != "primary" or context.account is not None:
        return ""
    user: Object = signed_in_user(context) or {}
    return str(user.get("open_id", ""))


def is_bots(calendar: Object, caller: Caller) -> bool:
    """Return whether new events on a calendar have a bot as their organiser."""
    claimed = calendar.get("user_id")
    return caller.kind == "app" if claimed is None else claimed.startswith("cli_")


def organiser(context: AppContext, calendar: Object, caller: Caller) -> Object:
    """Return `event_organizer` of an event created on a calendar; on a shared one, it is the calendar."""
    user_id = owner_id(context, calendar) or caller.id
    user = people.find_user(context, user_id) or {}
    name = user.get("name") if calendar.get("type", "primary") == "primary" else None
    return {"user_id": user_id, "display_name": name or calendar.get("summary") or caller.name}


def present_user(context: AppContext, value: str, id_type: str) -> Object:
    """Return the user with an id who works in the company.

    Raises:
        LarkError: 195100.
    """
    user = people.find_user(context, value, id_type)
    if user is None or is_gone(user):
        raise refusals.user_gone()
    return user


def is_gone(user: Object | None) -> bool:
    """Return whether a user has left the company."""
    return user is not None and (people.has_resigned(user) or people.has_exited(user))


def _primary_of(context: AppContext, owner: str) -> Object | None:
    return context.first("calendar", {"user_id": owner, "type": "primary"})


def _unclaimed(context: AppContext) -> Object | None:
    return context.first("calendar", {"user_id": None, "type": "primary"})
