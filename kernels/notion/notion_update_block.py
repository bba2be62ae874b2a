"""Change a block's content as the API describes it, or move it to and from the trash."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from kernels.notion.rules import blocks
from kernels.notion.rules.errors import refused
from kernels.notion.rules.replies import Shown, of_object
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    if not arguments["block_id"]:
        raise refused("Missing required arguments: block_id and block")
    return of_object(context, arguments, blocks.update(context, arguments["block_id"], arguments["block"]))
