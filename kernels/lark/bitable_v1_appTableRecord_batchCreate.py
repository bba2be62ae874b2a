"""The `bitable_v1_appTableRecord_batchCreate` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.record_writes import create_records
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTableRecord_batchCreate")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Add up to 1,000 records to a table, all or none."""
    who = caller(context, arguments, "bitable:app", "base:record:create")
    records = arguments["data"]["records"]
    if not records:
        raise _refusal(1254001)
    written = [record["fields"] for record in records]
    return {"records": create_records(context, who, arguments, written, _refusal)}
