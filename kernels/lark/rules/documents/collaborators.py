"""Collaborators of documents: valid ids, and the people and groups that they identify.

Rules: https://open.feishu.cn/document/server-docs/docs/permission/permission-member/create
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people

USER_ID_TYPES = {"email": "email", "openid": "open_id", "unionid": "union_id", "userid": "user_id"}
_KINDS = {
    **dict.fromkeys(USER_ID_TYPES, ("user",)),
    "openchat": ("chat",),
    "opendepartmentid": ("department",),
    "groupid": ("group",),
    "wikispaceid": ("wiki_space_member", "wiki_space_viewer", "wiki_space_editor"),
}
_SHAPES = {
    "openchat": re.compile(r"oc_\w+", re.ASCII),
    "opendepartmentid": re.compile(r"od-\w+", re.ASCII),
    "groupid": re.compile(r"\w+", re.ASCII),
    "wikispaceid": re.compile(r"[0-9]+"),
}


def kind_of(member_type: str, requested: str | None) -> str | None:
    """Return the collaborator's `type`: the requested one if the id type allows it, by default the usual one.

    The groups of a wiki space must be named explicitly.
    """
    kinds = _KINDS[member_type]
    if requested is None:
        return kinds[0] if len(kinds) == 1 else None
    return requested if requested in kinds else None


def exists(context: AppContext, member_type: str, member_id: str) -> bool:
    """Return whether an id is well formed and, if such objects are recorded, exists."""
    if id_type := USER_ID_TYPES.get(member_type):
        if not people.is_well_formed(member_id, id_type):
            return False
        user = people.find_user(context, member_id, id_type)
        return context.first("user") is None if user is None else not people.has_resigned(user)
    if not _SHAPES[member_type].fullmatch(member_id):
        return False
    known = {"openchat": "chat", "wikispaceid": "wiki_space"}.get(member_type)
    return known is None or context.get(known, member_id) is not None or context.first(known) is None


def identity(context: AppContext, member: Object) -> tuple[str, str]:
    """Return the identity of a collaborator: a user's open_id, whatever the id type; else type and id."""
    member_type, member_id = member["member_type"], member["member_id"]
    user = people.find_user(context, member_id, USER_ID_TYPES[member_type]) if member_type in USER_ID_TYPES else None
    return ("openid", user["open_id"]) if user else (member_type, member_id)
