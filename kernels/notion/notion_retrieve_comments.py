"""List the comments on a page or block, the oldest first; those on a page's blocks are not among the page's."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, blocks, ids, paging, records
from soundstage.kernels.notion.rules.errors import refused
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    if not arguments["block_id"]:
        raise refused("Missing required argument: block_id")
    access.check(context, "read_comment")
    identifier = ids.need_uuid(arguments["block_id"], "query.block_id")
    window = paging.window(arguments, "query")
    above = blocks.find(context, identifier)
    comments = context.list("comment", {f"parent_{above.link}": above.id})
    found = paging.listing(context, "comment", comments, window, records.comment)
    return answer(context, arguments, found, long_lists=True)
