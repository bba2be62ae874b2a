"""People and groups with whom documents are shared: which ids may name one, and whom an id means.

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


def kind_of(member_type: str, asked: str | None) -> str | None:
    """The collaborator's `type`: the one asked for if the id type has it, the usual one if none is asked for.

    The groups of a wiki space have to be asked for by name.
    """
    kinds = _KINDS[member_type]
    if asked is None:
        return kinds[0] if len(kinds) == 1 else None
    return asked if asked in kinds else None


def exists(context: AppContext, member_type: str, member_id: str) -> bool:
    """Whether an id looks like one of its type, and is somebody's as far as such objects are known."""
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
    """What makes two entries the same collaborator: a user's open_id, whatever the id type; else type and id."""
    member_type, member_id = member["member_type"], member["member_id"]
    user = people.find_user(context, member_id, USER_ID_TYPES[member_type]) if member_type in USER_ID_TYPES else None
    return ("openid", user["open_id"]) if user else (member_type, member_id)
