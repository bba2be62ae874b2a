"""The `docx_v1_document_rawContent` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.documents.documents import is_kind, may_read
from soundstage.kernels.lark.rules.errors import LarkError, field_violation
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_ID_LENGTH = 27
_LANGUAGES = (0, 1, 2)
# The documentation gives no number for this error; this is half the limit of an import.
_MOST_CHARACTERS = 10 * 1024 * 1024


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a document's plain text, one line per block.

    `lang` affects only mentions, which recorded text has already resolved.
    """
    document_id = arguments["path"]["document_id"]
    who = caller(context, arguments, "docx:document:readonly")
    if len(document_id) != _ID_LENGTH:
        bound = "min" if len(document_id) < _ID_LENGTH else "max"
        raise field_violation("document_id", f"the {bound} len is {_ID_LENGTH}")
    if (arguments.get("params") or {}).get("lang", 0) not in _LANGUAGES:
        raise LarkError(1770001, "invalid param")
    document = context.get("document", document_id)
    if document is None or not is_kind(document.get("docs_type", "doc"), "docx"):
        raise LarkError(1770002, "not found", http=404, kind="not_found")
    if document.get("deleted"):
        raise LarkError(1770003, "resource deleted", kind="not_found")
    if not may_read(context, who, document_id, document.get("owner_id")):
        raise LarkError(1770032, "forbidden", http=403, kind="permission")
    content = document.get("content", "")
    if len(content) > _MOST_CHARACTERS:
        raise LarkError(1770033, "raw content size exceed limited", kind="limit")
    return {"content": content}
