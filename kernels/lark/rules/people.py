"""Users: lookup by any id, representation by the requested id type, and reachability."""

from __future__ import annotations

import re
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

UserIdType = Literal["open_id", "union_id", "user_id"]

_SHAPES = {
    "open_id": re.compile(r"ou_\w+", re.ASCII),
    "union_id": re.compile(r"on_\w+", re.ASCII),
    "user_id": re.compile(r"[\w@.-]+", re.ASCII),
    "email": re.compile(r"[^@\s]+@[^@\s]+"),
}


def find_user(context: AppContext, value: str, id_type: str = "open_id") -> Object | None:
    """Return the user with this open_id, union_id, user_id or email."""
    if not value:
        return None
    if id_type == "open_id":
        return context.get("user", value)
    return context.first("user", {f"{id_type} in": [value, value.lower()] if id_type == "email" else [value]})


def find_by_mobile(context: AppContext, mobile: str) -> Object | None:
    """Return the user with a mobile number; +86 is optional for mainland China."""
    number = re.sub(r"[\s-]", "", mobile).removeprefix("+86")
    return context.first("user", {"mobile in": [number, f"+86{number}"]}) if number else None


def find_by_any_id(context: AppContext, value: str) -> Object | None:
    """Return the user with an id of any type, as in mentions."""
    if value.startswith("ou_"):
        return find_user(context, value)
    return find_user(context, value, "union_id" if value.startswith("on_") else "user_id")


def id_as(context: AppContext, open_id: str, id_type: str) -> tuple[str, str]:
    """Return a user's id of another type, and that type; by default the open_id."""
    known = None if id_type == "open_id" else (find_user(context, open_id) or {}).get(id_type)
    return (known, id_type) if known else (open_id, "open_id")


def is_well_formed(value: str, id_type: str) -> bool:
    """Return whether a value looks like an id of a type; a user_id may be any text that a company chose."""
    return _SHAPES[id_type].fullmatch(value) is not None


def status(user: Object) -> Object:
    """Return a user's status as shown; by default the user is active."""
    usual = {"is_frozen": False, "is_resigned": False, "is_activated": True, "is_exited": False, "is_unjoin": False}
    return usual | (user.get("status") or {})


def has_resigned(user: Object) -> bool:
    """Return whether a user has resigned."""
    return bool(status(user)["is_resigned"])


def has_exited(user: Object) -> bool:
    """Return whether a user has left the company's Lark but has not been dismissed yet."""
    return bool(status(user)["is_exited"])


def may_use_app(context: AppContext, open_id: str) -> bool:
    """Return whether a user is in the app's availability range, which by default includes every user."""
    visibility = (context.first("app") or {}).get("visibility") or {}
    visible = (visibility.get("visible_list") or {}).get("open_ids") or []
    invisible = (visibility.get("invisible_list") or {}).get("open_ids") or []
    return open_id not in invisible and (visibility.get("is_all", True) or open_id in visible)


def is_foreign(subject: Object, tenant_key: str) -> bool:
    """Return whether a user or a chat is known to belong to another tenant."""
    theirs = subject.get("tenant_key")
    return bool(theirs and tenant_key and theirs != tenant_key)
