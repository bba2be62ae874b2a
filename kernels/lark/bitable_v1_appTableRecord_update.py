"""Changes the given cells of a record; the others stay, and a cell given as null is emptied."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from contexts.engine.schema import Object
from kernels.lark.rules.base.record_writes import update_records
from kernels.lark.rules.base.refusals import BaseRefusals
from kernels.lark.rules.identity import caller
from kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTableRecord_update")


def run(context: AppContext, arguments: Arguments) -> Object:
    who = caller(context, arguments, "bitable:app", "base:record:update")
    change = (arguments["path"]["record_id"], arguments["data"]["fields"])
    (record,) = update_records(context, who, arguments, [change], _refusal)
    return {"record": record}
