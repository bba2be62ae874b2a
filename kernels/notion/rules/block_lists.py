"""Lists of blocks in the API's envelope."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import children, paging
from soundstage.kernels.notion.rules.children import Node
from soundstage.kernels.notion.rules.paging import Window


def of_children(context: AppContext, above: Node, window: Window) -> Object:
    """Return the requested part of a page's or block's children.

    Raises:
        NotionError: The cursor is not the id of a child.
    """
    nodes = {node.id: node for node in children.live(context, above)}
    records = [node.record for node in nodes.values()]
    return paging.listing(
        context, "block", records, window, lambda record: children.to_reply(context, nodes[record["id"]])
    )


def whole(context: AppContext, blocks: list[Object]) -> Object:
    """Return all new blocks in one list, however many."""
    return paging.listing(context, "block", blocks, Window(size=max(len(blocks), 1)), lambda block: block)
