"""Change a block's content as the API describes it, or move it to and from the trash."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import blocks
from soundstage.kernels.notion.rules.errors import refused
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    if not arguments["block_id"]:
        raise refused("Missing required arguments: block_id and block")
    return of_object(context, arguments, blocks.update(context, arguments["block_id"], arguments["block"]))
