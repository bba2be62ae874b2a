"""Documents of all kinds: lookup by token and kind, read access, and the search index."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.document_rights import VIEW, right_of
from soundstage.kernels.lark.rules.identity import Caller

# A "doc" in the search and in the state is an old (doc) or a new document (docx) for every other tool.
_TEXT_KINDS = {"doc", "docx"}


def find(context: AppContext, token: str, kind: str) -> Object | None:
    """Return the object with a token and kind (`docx`, `wiki`, `bitable` …), including its `owner_id`.

    A document may be known only by its wiki node, a folder only by a base in it.
    """
    match kind:
        case "wiki":
            node = context.get("wiki_node", token)
            return None if node is None else {**node, "owner_id": node.get("owner")}
        case "bitable" if base := context.get("bitable_app", token):
            return base
        case "folder":
            return context.first("bitable_app", {"folder_token": token}) and {}
    document = context.get("document", token)
    if document is not None:
        return document if is_kind(document.get("docs_type", "doc"), kind) else None
    node = context.first("wiki_node", {"obj_token": token, "obj_type": kind})
    return None if node is None else {**node, "owner_id": node.get("owner")}


def tokens_of(context: AppContext, token: str) -> list[str]:
    """Return all tokens under which rights may be recorded: the document's, and those of its wiki nodes."""
    node = context.get("wiki_node", token)
    document_token = (node or {}).get("obj_token") or token
    nodes = context.list("wiki_node", {"obj_token": document_token})
    return list(dict.fromkeys([token, document_token, *(n["node_token"] for n in nodes)]))


def is_kind(docs_type: str, kind: str) -> bool:
    """Return whether a recorded `docs_type` is a tool's `kind`."""
    return docs_type == kind or (docs_type in _TEXT_KINDS and kind in _TEXT_KINDS)


def searchable(context: AppContext) -> list[Object]:
    """Return every document and base with the fields of the search (`docs_token`, `docs_type`, `title`)."""
    documents = [
        {
            **document,
            "docs_token": document["document_id"],
            "docs_type": "doc" if is_kind(document.get("docs_type", "doc"), "doc") else document["docs_type"],
        }
        for document in context.list("document")
        if not document.get("deleted")
    ]
    known = {document["docs_token"] for document in documents}
    bases = [
        {**base, "docs_token": base["app_token"], "docs_type": "bitable", "title": base.get("name", "")}
        for base in context.list("bitable_app")
        if base["app_token"] not in known
    ]
    return [*documents, *bases]


def may_read(context: AppContext, caller: Caller, token: str, owner_id: str | None) -> bool:
    """Return whether the caller may read the document, base or wiki node with a token."""
    return right_of(context, caller, owner_id, tokens_of(context, token)) >= VIEW


def contains(words: str, *texts: str) -> bool:
    """Return whether the texts contain every word of a search, ignoring case."""
    text = "\n".join(texts).casefold()
    return all(word in text for word in words.casefold().split())
