"""Lists a base's tables."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from contexts.engine.schema import Object
from kernels.lark.rules.base.bases import open_base
from kernels.lark.rules.base.pages import page_after, page_size
from kernels.lark.rules.base.refusals import BaseRefusals
from kernels.lark.rules.document_rights import VIEW
from kernels.lark.rules.identity import caller
from kernels.types import Arguments

_PAGE_LIMIT = 100
_refusal = BaseRefusals("bitable_v1_appTable_list")


def run(context: AppContext, arguments: Arguments) -> Object:
    app_token, params = arguments["path"]["app_token"], arguments.get("params") or {}
    who = caller(context, arguments, "bitable:app:readonly", "base:table:read")
    size = page_size(params, _PAGE_LIMIT, _refusal)
    open_base(context, who, app_token, VIEW, _refusal)
    tables = [
        {"table_id": table["table_id"], "revision": table.get("revision", 1), "name": table.get("name", "")}
        for table in context.list("table", {"app_token": app_token})
    ]
    return page_after(tables, "table_id", size, params.get("page_token"), _refusal)
