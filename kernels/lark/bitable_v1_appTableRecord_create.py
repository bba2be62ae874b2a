"""The `bitable_v1_appTableRecord_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.record_writes import create_records
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTableRecord_create")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Add a record to a table and return the cells as written.

    New select options are created.
    """
    who = caller(context, arguments, "bitable:app", "base:record:create")
    (record,) = create_records(context, who, arguments, [arguments["data"]["fields"]], _refusal)
    return {"record": record}
