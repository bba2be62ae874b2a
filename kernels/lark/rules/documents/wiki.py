"""Wiki nodes: representation, lookup by document, and descendants."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

OBJECT_NUMBERS = {"doc": 1, "sheet": 2, "bitable": 3, "mindnote": 4, "file": 5, "docx": 8, "slides": 11}
"""The numbers of document kinds in the search."""

_SHOWN = (
    "space_id",
    "node_token",
    "obj_token",
    "obj_type",
    "parent_node_token",
    "node_type",
    "origin_node_token",
    "origin_space_id",
    "has_child",
    "title",
    "obj_create_time",
    "obj_edit_time",
    "node_create_time",
    "creator",
    "owner",
    "node_creator",
)


def node_of(context: AppContext, token: str, obj_type: str) -> Object | None:
    """Return the node with a token, or the node of a document, preferring the original to shortcuts."""
    if obj_type == "wiki":
        return context.get("wiki_node", token)
    nodes = context.list("wiki_node", {"obj_token": token, "obj_type": obj_type})
    return min(nodes, key=lambda node: node.get("node_type") == "shortcut", default=None)


def to_reply(node: Object) -> Object:
    """Return the node as the API does."""
    return {name: node[name] for name in _SHOWN if name in node}


def below(nodes: list[Object], node_token: str) -> set[str]:
    """Return the tokens of a node and of all nodes below it."""
    children: dict[str, list[str]] = {}
    for node in nodes:
        children.setdefault(node.get("parent_node_token", ""), []).append(node["node_token"])
    tokens: set[str] = set()
    waiting = [node_token]
    while waiting:
        token = waiting.pop()
        if token not in tokens:
            tokens.add(token)
            waiting += children.get(token, [])
    return tokens
