"""The `contact_v3_user_batchGetId` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.identity import as_app
from soundstage.kernels.types import Arguments

_LIMIT = 50


def run(context: AppContext, arguments: Arguments) -> Object:
    """Look up the ids of people by e-mail address and mobile number, one entry per request."""
    data = arguments.get("data", {})
    as_app(context, "contact:user.id:readonly")
    emails, mobiles = data.get("emails", []), data.get("mobiles", [])
    for field, values in (("emails", emails), ("mobiles", mobiles)):
        if len(values) > _LIMIT:
            raise field_violation(field, f"the max len is {_LIMIT}")

    id_type = arguments.get("params", {}).get("user_id_type", "open_id")
    with_resigned = data.get("include_resigned", False)
    by_email = [("email", e, people.find_user(context, e, "email")) for e in emails]
    by_mobile = [("mobile", m, people.find_by_mobile(context, m)) for m in mobiles]
    return {
        "user_list": [
            _entry(field, values, user, id_type, with_resigned) for field, values, user in [*by_email, *by_mobile]
        ]
    }


def _entry(field: str, value: str, user: Object | None, id_type: str, with_resigned: bool) -> Object:
    """Return one entry; it has no id if the address is unknown or its owner has resigned."""
    if user is None or id_type not in user or (people.has_resigned(user) and not with_resigned):
        return {field: value}
    return {"user_id": user[id_type], field: value, "status": people.status(user)}
