"""The `notion_retrieve_comments` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, blocks, ids, paging, records
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """List the comments on a page or block, oldest first.

    A page's list does not contain the comments on its blocks.
    """
    if not arguments["block_id"]:
        raise server_error("Missing required argument: block_id")
    access.check(context, "read_comment")
    identifier = ids.need_uuid(arguments["block_id"], "query.block_id")
    window = paging.window(arguments, "query")
    above = blocks.find(context, identifier)
    comments = context.list("comment", {f"parent_{above.link}": above.id})
    listing = paging.listing(context, "comment", comments, window, records.comment)
    return answer(context, arguments, listing, long_lists=True)
