"""The `bitable_v1_appTableRecord_update` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.record_writes import update_records
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTableRecord_update")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Change the given cells of a record; a null value empties a cell."""
    who = caller(context, arguments, "bitable:app", "base:record:update")
    change = (arguments["path"]["record_id"], arguments["data"]["fields"])
    (record,) = update_records(context, who, arguments, [change], _refusal)
    return {"record": record}
