"""Calendars: which one an id means, whose it is, and what the caller may do on it.

A calendar with a `user_id` belongs to that user (or, with an app_id there, to that app) and everybody else has what
its `role` or else its `permissions` give. One without belongs to the app and to the state's own account, with the `role` it
states.
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

# Public clients pass this instead of an id; the documents do not mention it.
PRIMARY = "primary"

_ID = re.compile(r"(feishu\.cn|larksuite\.com)_[A-Za-z0-9]+@group\.calendar\.(feishu\.cn|larksuite\.com)", re.ASCII)
_RANKS: dict[Role, int] = {"unknown": 0, "free_busy_reader": 1, "reader": 2, "writer": 3, "owner": 4}
_FOR_OTHERS: dict[str, Role] = {"private": "unknown", "show_only_free_busy": "free_busy_reader", "public": "reader"}


def check_identity(context: AppContext, caller: Caller) -> None:
    """Refuse an app without a bot and a user who has left.

    Raises:
        LarkError: 190007, 195100.
    """
    if caller.kind == "app":
        if (context.first("app") or {}).get("bot_enabled") is False:
            raise refusals.no_bot()
    elif is_gone(people.find_user(context, caller.id)):
        raise refusals.user_gone()


def opened(context: AppContext, caller: Caller, calendar_id: str, needs: Literal["reader", "writer"]) -> Object:
    """The calendar of this id, on which the caller has at least the role that he needs.

    Raises:
        LarkError: 191000 to 191004.
    """
    found = primary(context, caller) if calendar_id == PRIMARY else context.get("calendar", calendar_id)
    if found is None:
        is_formed = calendar_id == PRIMARY or _ID.fullmatch(calendar_id)
        raise refusals.calendar_not_found() if is_formed else refusals.invalid_calendar_id()
    if found.get("is_deleted"):
        raise refusals.calendar_deleted()
    if found.get("type", "primary") not in ("primary", "shared"):
        raise refusals.invalid_calendar_type()
    if not has_role(found, caller, needs):
        raise refusals.no_access_role()
    return found


def primary(context: AppContext, caller: Caller) -> Object | None:
    """The caller's own calendar."""
    own = _primary_of(context, caller.id) if caller.id else None
    return own or (_unclaimed(context) if caller.is_own else None)


def primary_of_user(context: AppContext, open_id: str) -> Object | None:
    """A user's own calendar; one that names no user is that of the state's own account."""
    own = _primary_of(context, open_id)
    if own is None and context.account is None and (signed_in_user(context) or {}).get("open_id") == open_id:
        return _unclaimed(context)
    return own


def role_of(calendar: Object, caller: Caller) -> Role:
    """What the caller may do on a calendar."""
    owner = calendar.get("user_id")
    role: Role | None = calendar.get("role")
    if owner is None and caller.is_own:
        return role or "owner"
    if owner == caller.id or not caller.id:
        return "owner"
    # The owner's own role says nothing about others.
    if role is not None and role != "owner":
        return role
    return _FOR_OTHERS.get(calendar.get("permissions", ""), "free_busy_reader")


def has_role(calendar: Object, caller: Caller, needs: Role) -> bool:
    return _RANKS.get(role_of(calendar, caller), 0) >= _RANKS[needs]


def owner_id(context: AppContext, calendar: Object) -> str:
    """The open_id (an app's: app_id) of whom a calendar belongs to; "" where the state tells nobody."""
    claimed: str | None = calendar.get("user_id")
    if claimed is not None:
        return claimed
    if calendar.get("type", "primary") != "primary" or context.account is not None:
        return ""
    user: Object = signed_in_user(context) or {}
    return str(user.get("open_id", ""))


def is_bots(calendar: Object, caller: Caller) -> bool:
    """Whether what is created on a calendar has a bot as its organiser."""
    claimed = calendar.get("user_id")
    return caller.kind == "app" if claimed is None else claimed.startswith("cli_")


def organiser(context: AppContext, calendar: Object, caller: Caller) -> Object:
    """`event_organizer` of an event created on this calendar: on a shared one, the calendar itself."""
    user_id = owner_id(context, calendar) or caller.id
    user = people.find_user(context, user_id) or {}
    name = user.get("name") if calendar.get("type", "primary") == "primary" else None
    return {"user_id": user_id, "display_name": name or calendar.get("summary") or caller.name}


def present_user(context: AppContext, value: str, id_type: str) -> Object:
    """The user with this id, who works in the company.

    Raises:
        LarkError: 195100.
    """
    user = people.find_user(context, value, id_type)
    if user is None or is_gone(user):
        raise refusals.user_gone()
    return user


def is_gone(user: Object | None) -> bool:
    return user is not None and (people.has_resigned(user) or people.has_exited(user))


def _primary_of(context: AppContext, owner: str) -> Object | None:
    return context.first("calendar", {"user_id": owner, "type": "primary"})


def _unclaimed(context: AppContext) -> Object | None:
    return context.first("calendar", {"user_id": None, "type": "primary"})
