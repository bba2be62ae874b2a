"""The direct children of a page or block, in the order of the page.

Blocks, child pages and child databases share one order. Objects of the initial state are in its order (blocks, then
pages, then databases). A tool that inserts an object elsewhere sets `after` to the preceding sibling, or to the parent
for the first position; of several objects after one sibling the newest comes first.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import rich_text

Kind = Literal["block", "page", "database"]


@dataclass(frozen=True, slots=True)
class Node:
    """A record that the API shows as a block: a block, or a page or database, whose id is also a block id."""

    kind: Kind
    record: Object

    @property
    def id(self) -> str:
        """The id of the record."""
        return str(self.record["id"])

    @property
    def type(self) -> str:
        """The type as the API shows it."""
        return str(self.record.get("type", "unsupported")) if self.kind == "block" else f"child_{self.kind}"

    @property
    def link(self) -> str:
        """The name under which its children's `parent` holds its id."""
        return "page_id" if self.kind == "page" else "block_id"


def find(context: AppContext, identifier: str) -> Node | None:
    """Return the node with a block id."""
    kinds: tuple[Kind, ...] = ("block", "page", "database")
    for kind in kinds:
        record = context.get(kind, identifier)
        if record is not None:
            return Node(kind, record)
    return None


def of(context: AppContext, above: Node) -> list[Node]:
    """Return the children in their order, including those in the trash."""
    if above.kind == "database":
        return []
    kinds: tuple[Kind, ...] = ("block", "page", "database")
    where = {f"parent_{above.link}": above.id}
    nodes = [Node(kind, record) for kind in kinds for record in context.list(kind, where)]
    known = {node.id for node in nodes} | {above.id}
    behind: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        anchor = node.record.get("after")
        behind[anchor if anchor in known else ""].append(node)
    ordered: list[Node] = []
    stack = behind[""][::-1] + behind[above.id]
    while stack:
        node = stack.pop()
        ordered.append(node)
        stack += behind[node.id]
    return ordered


def live(context: AppContext, above: Node) -> list[Node]:
    """Return the children in their order, without those in the trash."""
    return [node for node in of(context, above) if not node.record.get("in_trash")]


def end_anchor(context: AppContext, above: Node) -> str | None:
    """Return the `after` of a block at the end, or None if the order of creation already puts it there."""
    where = {f"parent_{above.link}": above.id}
    if context.first("page", where) is None and context.first("database", where) is None:
        return None
    return of(context, above)[-1].id


def has_live(context: AppContext, above: Node) -> bool:
    """Return whether a node has children outside the trash."""
    return above.kind != "database" and any(
        context.first(kind, {f"parent_{above.link}": above.id, "in_trash": in_trash}) is not None
        for kind in ("block", "page", "database")
        for in_trash in (False, None)
    )


def to_reply(context: AppContext, node: Node) -> Object:
    """Return a node as the API shows a block."""
    record = node.record
    if node.kind == "block":
        view = {"object": "block", **{name: value for name, value in record.items() if name != "after"}}
        if "has_children" not in view:
            view["has_children"] = has_live(context, node)
        view.setdefault("in_trash", False)
        return view
    title = rich_text.title(record) if node.kind == "page" else rich_text.plain(record.get("title"))
    if node.kind == "database":  # a database does not name its creator, but its data sources do
        record = {**(context.first("data_source", {"parent_database_id": node.id}) or {}), **record}
    view = {"object": "block", "id": node.id}
    for name in ("parent", "created_time", "last_edited_time", "created_by", "last_edited_by"):
        if name in record:
            view[name] = record[name]
    view["has_children"] = has_live(context, node)
    view["in_trash"] = bool(record.get("in_trash", False))
    view["type"] = node.type
    view[node.type] = {"title": title}
    return view
