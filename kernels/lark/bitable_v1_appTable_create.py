"""The `bitable_v1_appTable_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.bases import open_base
from soundstage.kernels.lark.rules.base.new_tables import check_table, make_table
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.document_rights import EDIT
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_refusal = BaseRefusals("bitable_v1_appTable_create")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Add a table with its first fields to a base.

    The reply contains only ids, and only those of objects that the call named.
    """
    app_token, wanted = arguments["path"]["app_token"], (arguments.get("data") or {}).get("table")
    who = caller(context, arguments, "bitable:app", "base:table:create")
    if wanted is None:
        raise _refusal(1254001)
    open_base(context, who, app_token, EDIT, _refusal)
    check_table(context, app_token, wanted, _refusal)
    table, fields = make_table(context, app_token, wanted)
    made = {"table_id": table["table_id"]}
    if "fields" not in wanted:
        return made
    return {**made, "default_view_id": table["default_view_id"], "field_id_list": [f["field_id"] for f in fields]}
