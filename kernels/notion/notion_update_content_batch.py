"""The `notion_update_content_batch` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import blocks, simple_content
from soundstage.kernels.notion.rules.errors import NotionError, Unfinished, server_error
from soundstage.kernels.notion.rules.replies import with_request_id
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object | Unfinished:
    """Replace the texts of several blocks, one after the other.

    All blocks are looked up and their types compared before the first write. Two quirks of the real server are
    preserved: an id must have the API's form (dashed, lower case), or the comparison fails; and if a write fails, the
    earlier writes remain (source: `notion_update_content_batch` in https://github.com/suekou/mcp-notion-server).
    """
    updates = arguments["updates"]
    if not updates:
        raise server_error("Missing required argument: updates")
    for i, update in enumerate(updates):
        if not update["block_id"]:
            raise server_error(f"updates[{i}].block_id must be a non-empty block ID string.")
        simple_content.check_item(update["item"], f"updates[{i}].item")
    existing = [blocks.retrieve(context, update["block_id"]) for update in updates]
    for update, block in zip(updates, existing, strict=True):
        if block["id"] != update["block_id"]:
            raise server_error(
                f"Block validation order mismatch: expected {update['block_id']}, received {block['id']}."
            )
        simple_content.same_type(update["block_id"], block, update["item"])
    results: list[Object] = []
    for update in updates:
        try:
            written = blocks.update(context, update["block_id"], simple_content.update_of(update["item"]))
        except NotionError as error:
            if not results:
                raise
            return Unfinished(error)
        results.append(with_request_id(context, written))
    return {"object": "notion_content_batch_update", "updated_count": len(results), "results": results}
