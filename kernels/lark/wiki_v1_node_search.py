"""The `wiki_v1_node_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import paging
from soundstage.kernels.lark.rules.documents.documents import contains, may_read
from soundstage.kernels.lark.rules.documents.wiki import OBJECT_NUMBERS, below
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller, as_user
from soundstage.kernels.types import Arguments

_PAGE_SIZE, _PAGE_LIMIT = 20, 50
_QUERY_CHARACTERS = 50
_FIRST_NUMBER = 1


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search the wiki nodes that the signed-in user may read.

    Errors come with HTTP 200, so without isError.
    """
    data, params = arguments["data"], arguments.get("params") or {}
    if not arguments.get("useUAT"):
        # The request has the app's token, which this endpoint rejects.
        message = "Invalid access token for authorization. Please make a request with token attached."
        raise LarkError(99991663, message, kind="unauthorized")
    who = as_user(context, "wiki:wiki:readonly")
    size = params.get("page_size", _PAGE_SIZE)
    if not 0 < size <= _PAGE_LIMIT or size != int(size):
        raise _invalid()
    if not 0 < len(data["query"]) <= _QUERY_CHARACTERS or (data.get("node_id") and not data.get("space_id")):
        raise _invalid()
    shown_nodes = [
        _shown(node, number) for number, node in enumerate(_matches(context, who, data), start=_FIRST_NUMBER)
    ]
    page = paging.page(
        shown_nodes, int(size), params.get("page_token"), {"wiki": data, "by": who.id}, invalid=_invalid()
    )
    more = {"page_token": page.token} if page.has_more else {}
    return {"has_more": page.has_more, **more, "items": page.items}


def _invalid() -> LarkError:
    return LarkError(10001, "invalid param", http=200)


def _matches(context: AppContext, who: Caller, data: Arguments) -> list[Object]:
    """Return the nodes with all words in title or text, in the requested space and below the requested node."""
    nodes = context.list("wiki_node", {"space_id": data["space_id"]} if data.get("space_id") else None)
    if data.get("node_id"):
        tokens = below(nodes, data["node_id"])
        nodes = [node for node in nodes if node["node_token"] in tokens]
    return [
        node
        for node in nodes
        if contains(data["query"], node.get("title", ""), _text(context, node))
        and may_read(context, who, node["node_token"], node.get("owner"))
    ]


def _text(context: AppContext, node: Object) -> str:
    document = context.get("document", node.get("obj_token", "")) or {}
    text: str = document.get("content", "")
    return text


def _shown(node: Object, number: int) -> Object:
    """Return a node as the search shows it; the real one always leaves `parent_id` empty."""
    return {
        "node_id": node["node_token"],
        "obj_token": node.get("obj_token", ""),
        "obj_type": OBJECT_NUMBERS.get(node.get("obj_type", ""), 0),
        "parent_id": "",
        "sort_id": number,
        "space_id": node.get("space_id", ""),
        "title": node.get("title", ""),
        "url": f"https://example.feishu.cn/wiki/{node['node_token']}",
    }
