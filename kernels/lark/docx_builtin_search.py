"""The `docx_builtin_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.documents.documents import contains, may_read, searchable
from soundstage.kernels.lark.rules.errors import LarkServerError, field_violation
from soundstage.kernels.lark.rules.identity import as_user
from soundstage.kernels.types import Arguments

_DEFAULT_COUNT, _MOST_COUNT = 50, 50
_REACH = 200


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search the documents and bases that the signed-in user may read.

    Without `useUAT` the server itself reports an error.
    """
    data = arguments["data"]
    if not arguments.get("useUAT"):
        raise LarkServerError({"msg": "User access token is not configured"}, kind="unauthorized")
    who = as_user(context, "search:docs:read", "drive:drive:readonly")
    count, offset = _range(data)
    matches = [
        document
        for document in searchable(context)
        if contains(data["search_key"], document.get("title", ""), document.get("content", ""))
        and _fits(context, document, data)
        and may_read(context, who, document["docs_token"], document.get("owner_id"))
    ]
    entities = [
        {
            "docs_token": document["docs_token"],
            "docs_type": document["docs_type"],
            "owner_id": document.get("owner_id", ""),
            "title": document.get("title", ""),
        }
        for document in matches[offset : offset + count]
    ]
    return {"docs_entities": entities, "has_more": offset + count < len(matches), "total": len(matches)}


def _range(data: Arguments) -> tuple[int, int]:
    """Return count and offset: a count from 0 to 50, and both together below 200.

    Raises:
        LarkError: 99992402.
    """
    count, offset = data.get("count", _DEFAULT_COUNT), data.get("offset", 0)
    for field, value in (("count", count), ("offset", offset)):
        if value < 0:
            raise field_violation(field, "the min value is 0")
        if value != int(value):
            raise field_violation(field, f"{field} should be an integer")
    if count > _MOST_COUNT:
        raise field_violation("count", f"the max value is {_MOST_COUNT}")
    if offset + count >= _REACH:
        raise field_violation("offset", f"offset + count should be less than {_REACH}")
    return int(count), int(offset)


def _fits(context: AppContext, document: Object, data: Arguments) -> bool:
    """Return whether a document has the requested owners, chats and types; an empty list means any."""
    owners, chat_ids, types = (data.get(name) or [] for name in ("owner_ids", "chat_ids", "docs_types"))
    if owners and document.get("owner_id") not in owners:
        return False
    if types and document["docs_type"] not in types:
        return False
    return not chat_ids or bool(_chats_of(context, document) & set(chat_ids))


def _chats_of(context: AppContext, document: Object) -> set[str]:
    """Return the chats of a document: the recorded ones and those it is shared with."""
    shared = context.list("permission_member", {"token": document["docs_token"], "member_type": "openchat"})
    return {*(document.get("chat_ids") or []), *(member["member_id"] for member in shared)}
