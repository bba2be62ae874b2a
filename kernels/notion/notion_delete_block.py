"""Move a block, page or database to the trash. A page at the top of the workspace cannot be moved there."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from kernels.notion.rules import blocks
from kernels.notion.rules.errors import refused
from kernels.notion.rules.replies import Shown, of_object
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    if not arguments["block_id"]:
        raise refused("Missing required argument: block_id")
    return of_object(context, arguments, blocks.delete(context, arguments["block_id"]))
