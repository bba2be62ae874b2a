"""The `wiki_v2_space_getNode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.documents.documents import may_read
from soundstage.kernels.lark.rules.documents.wiki import node_of, to_reply
from soundstage.kernels.lark.rules.errors import LarkError, field_violation
from soundstage.kernels.lark.rules.identity import Caller, caller
from soundstage.kernels.types import Arguments

_TOKEN_CHARACTERS = 999


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a wiki node by its token, or by its document's token together with `obj_type`."""
    params = arguments["params"]
    token = params["token"]
    who = caller(context, arguments, "wiki:wiki:readonly", "wiki:node:read")
    if len(token) > _TOKEN_CHARACTERS:
        raise field_violation("token", f"the max len is {_TOKEN_CHARACTERS}")
    if not token:
        raise LarkError(131002, "param err")
    if _has_left(context, who):
        raise LarkError(131004, "invalid user", kind="permission")
    node = node_of(context, token, params.get("obj_type", "wiki"))
    if node is None:
        raise LarkError(131005, "not found", kind="not_found")
    if not may_read(context, who, node["node_token"], node.get("owner")):
        raise LarkError(131006, "permission denied", kind="permission")
    return {"node": to_reply(node)}


def _has_left(context: AppContext, who: Caller) -> bool:
    user = context.get("user", who.id) if who.kind == "user" else None
    return user is not None and (people.has_resigned(user) or people.has_exited(user))
