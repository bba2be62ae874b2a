"""The `bitable_v1_appTableRecord_batchUpdate` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.record_writes import update_records
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTableRecord_batchUpdate")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Change cells of up to 1,000 records of a table, all or none; each record needs its `record_id`."""
    who = caller(context, arguments, "bitable:app", "base:record:update")
    records = arguments["data"]["records"]
    if not records:
        raise _refusal(1254001)
    changes = [(record.get("record_id"), record["fields"]) for record in records]
    return {"records": update_records(context, who, arguments, changes, _refusal)}
