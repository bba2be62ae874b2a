"""Adds a record to a table. The cells come back as written; select options that are new come into being."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from contexts.engine.schema import Object
from kernels.lark.rules.base.record_writes import create_records
from kernels.lark.rules.base.refusals import BaseRefusals
from kernels.lark.rules.identity import caller
from kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTableRecord_create")


def run(context: AppContext, arguments: Arguments) -> Object:
    who = caller(context, arguments, "bitable:app", "base:record:create")
    (record,) = create_records(context, who, arguments, [arguments["data"]["fields"]], _refusal)
    return {"record": record}
