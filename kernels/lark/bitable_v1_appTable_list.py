"""The `bitable_v1_appTable_list` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.bases import open_base
from soundstage.kernels.lark.rules.base.pages import page_after, page_size
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.document_rights import VIEW
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_PAGE_LIMIT = 100
_refusal = BaseRefusals("bitable_v1_appTable_list")


def run(context: AppContext, arguments: Arguments) -> Object:
    """List a base's tables."""
    app_token, params = arguments["path"]["app_token"], arguments.get("params") or {}
    who = caller(context, arguments, "bitable:app:readonly", "base:table:read")
    size = page_size(params, _PAGE_LIMIT, _refusal)
    open_base(context, who, app_token, VIEW, _refusal)
    tables = [
        {"table_id": table["table_id"], "revision": table.get("revision", 1), "name": table.get("name", "")}
        for table in context.list("table", {"app_token": app_token})
    ]
    return page_after(tables, "table_id", size, params.get("page_token"), _refusal)
