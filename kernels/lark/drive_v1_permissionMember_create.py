"""The `drive_v1_permissionMember_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership
from soundstage.kernels.lark.rules.document_rights import FULL_ACCESS, NONE, RIGHTS, right_of
from soundstage.kernels.lark.rules.documents import collaborators, documents
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller, caller
from soundstage.kernels.types import Arguments

_MEMBER = ("member_type", "member_id", "perm", "perm_type", "type")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Share a document, base or wiki node; a second call may raise a collaborator's right but never lower it."""
    token, kind, data = arguments["path"]["token"], arguments["params"]["type"], arguments["data"]
    who = caller(context, arguments, "docs:permission.member:create", "drive:drive")
    document = documents.find(context, token, kind)
    collaborator = collaborators.kind_of(data["member_type"], data.get("type"))
    if (
        document is None
        or collaborator is None
        or not collaborators.exists(context, data["member_type"], data["member_id"])
    ):
        raise _invalid_parameter()
    if data["member_type"] == "opendepartmentid" and who.kind == "app":
        raise _invalid_parameter()
    if data["member_type"] == "wikispaceid" and (kind != "wiki" or document.get("space_id") != data["member_id"]):
        raise _invalid_parameter()
    if document.get("deleted"):
        raise LarkError(1063005, "Resource is deleted", http=404, kind="not_found")

    right = right_of(context, who, document.get("owner_id"), documents.tokens_of(context, token))
    if right == NONE:
        raise LarkError(1063002, "Permission denied", http=403, kind="permission")
    if right < FULL_ACCESS:
        raise LarkError(1063004, "User has no share permission", http=403, kind="permission")

    member = {
        "token": token,
        "token_type": kind,
        "member_type": data["member_type"],
        "member_id": data["member_id"],
        "perm": data["perm"],
        "perm_type": data.get("perm_type", "container") if kind == "wiki" else "container",
        "type": collaborator,
    }
    _grant(context, who, document, member)
    return {"member": {name: member[name] for name in _MEMBER}}


def _grant(context: AppContext, who: Caller, document: Object, member: Object) -> None:
    """Record the right, unless the member is the owner, has a higher right, or is a chat without the caller."""
    requested = collaborators.identity(context, member)
    if requested == ("openid", document.get("owner_id")):
        raise _invalid_operation()
    chat = context.get("chat", member["member_id"]) if member["member_type"] == "openchat" else None
    if chat is not None and not membership.is_in(context, chat, who):
        raise _invalid_operation()
    for present in context.list("permission_member", {"token": member["token"]}):
        if collaborators.identity(context, present) == requested:
            if RIGHTS.get(present.get("perm", ""), NONE) > RIGHTS[member["perm"]]:
                raise _invalid_operation()
            key = (present["token"], present["member_type"], present["member_id"])
            context.update("permission_member", key, {name: member[name] for name in ("perm", "perm_type", "type")})
            return
    context.create("permission_member", member)


def _invalid_parameter() -> LarkError:
    return LarkError(1063001, "Invalid parameter")


def _invalid_operation() -> LarkError:
    return LarkError(1063003, "Invalid operation", kind="conflict")
