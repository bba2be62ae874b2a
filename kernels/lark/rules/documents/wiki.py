"""Wiki nodes: as the API shows them, by what they hold, and those below one."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

OBJECT_NUMBERS = {"doc": 1, "sheet": 2, "bitable": 3, "mindnote": 4, "file": 5, "docx": 8, "slides": 11}
"""What the search calls the kinds of documents."""

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
    """The node of a token: its own with `wiki`, else that of the document it holds, itself rather than a shortcut."""
    if obj_type == "wiki":
        return context.get("wiki_node", token)
    nodes = context.list("wiki_node", {"obj_token": token, "obj_type": obj_type})
    return min(nodes, key=lambda node: node.get("node_type") == "shortcut", default=None)


def shown(node: Object) -> Object:
    """The node as the API answers it."""
    return {name: node[name] for name in _SHOWN if name in node}


def below(nodes: list[Object], node_token: str) -> set[str]:
    """The tokens of a node and of all nodes below it."""
    children: dict[str, list[str]] = {}
    for node in nodes:
        children.setdefault(node.get("parent_node_token", ""), []).append(node["node_token"])
    found: set[str] = set()
    waiting = [node_token]
    while waiting:
        token = waiting.pop()
        if token not in found:
            found.add(token)
            waiting += children.get(token, [])
    return found
