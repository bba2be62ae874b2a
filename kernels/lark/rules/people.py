"""Users: found by any of their ids, shown by the id type that a call asks for, and who of them can be reached."""

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
    """The user with this open_id, union_id, user_id or email."""
    if not value:
        return None
    if id_type == "open_id":
        return context.get("user", value)
    return context.first("user", {f"{id_type} in": [value, value.lower()] if id_type == "email" else [value]})


def find_by_mobile(context: AppContext, mobile: str) -> Object | None:
    """The user with this number; those of mainland China may be written with +86 or without."""
    number = re.sub(r"[\s-]", "", mobile).removeprefix("+86")
    return context.first("user", {"mobile in": [number, f"+86{number}"]}) if number else None


def find_by_any_id(context: AppContext, value: str) -> Object | None:
    """The user whom an id means where the API takes all three types, as in mentions."""
    if value.startswith("ou_"):
        return find_user(context, value)
    return find_user(context, value, "union_id" if value.startswith("on_") else "user_id")


def id_as(context: AppContext, open_id: str, id_type: str) -> tuple[str, str]:
    """A user's id in another type, and that type; the open_id where the state knows no other."""
    known = None if id_type == "open_id" else (find_user(context, open_id) or {}).get(id_type)
    return (known, id_type) if known else (open_id, "open_id")


def is_well_formed(value: str, id_type: str) -> bool:
    """Whether a value looks like an id of this type. A user_id may be anything a company chose."""
    return _SHAPES[id_type].fullmatch(value) is not None


def status(user: Object) -> Object:
    """A user's status as shown; somebody of whom nothing is said is at work."""
    usual = {"is_frozen": False, "is_resigned": False, "is_activated": True, "is_exited": False, "is_unjoin": False}
    return usual | (user.get("status") or {})


def has_resigned(user: Object) -> bool:
    return bool(status(user)["is_resigned"])


def has_exited(user: Object) -> bool:
    """Whether the user has left the company's Lark without having been dismissed yet."""
    return bool(status(user)["is_exited"])


def may_use_app(context: AppContext, open_id: str) -> bool:
    """Whether a user lies in the app's availability range; everybody does where the state names none."""
    visibility = (context.first("app") or {}).get("visibility") or {}
    visible = (visibility.get("visible_list") or {}).get("open_ids") or []
    invisible = (visibility.get("invisible_list") or {}).get("open_ids") or []
    return open_id not in invisible and (visibility.get("is_all", True) or open_id in visible)


def is_foreign(subject: Object, tenant_key: str) -> bool:
    """Whether a user or a chat is known to belong to another tenant."""
    theirs = subject.get("tenant_key")
    return bool(theirs and tenant_key and theirs != tenant_key)
