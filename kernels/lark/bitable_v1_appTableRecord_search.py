"""The `bitable_v1_appTableRecord_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import paging
from soundstage.kernels.lark.rules.base.bases import check_view, open_base, open_table
from soundstage.kernels.lark.rules.base.pages import page_size
from soundstage.kernels.lark.rules.base.record_search import check_lengths, find, searched_fields
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.base.shown_records import shown_record
from soundstage.kernels.lark.rules.document_rights import VIEW
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_PAGE_LIMIT = 500
_refusal = BaseRefusals("bitable_v1_appTableRecord_search")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search records of a table by conditions, in any order, in pages.

    `view_id` applies only without filter and sort.
    """
    path, data, params = arguments["path"], arguments.get("data") or {}, arguments.get("params") or {}
    who = caller(context, arguments, "bitable:app:readonly", "base:record:retrieve")
    size = page_size(params, _PAGE_LIMIT, _refusal)
    check_lengths(data, _refusal)
    base = open_base(context, who, path["app_token"], VIEW, _refusal)
    table = open_table(context, path["app_token"], path["table_id"], _refusal)
    if not data.get("filter") and not data.get("sort"):
        check_view(table, data.get("view_id"), _refusal)

    fields = searched_fields(context, table["table_id"])
    names = {field["field_name"] for field in fields}
    wanted = set(data.get("field_names") or names)
    if not wanted <= names:
        raise _refusal(1254024)

    id_type = params.get("user_id_type", "open_id")
    matches, total = find(context, base, table["table_id"], data, fields, _refusal)
    query = {"path": path, "data": data, "user_id_type": id_type}
    page = paging.page(matches, size, params.get("page_token"), query, invalid=_refusal(1254002))
    shown_fields = [field for field in fields if field["field_name"] in wanted]
    automatic = data.get("automatic_fields", False)
    items = [shown_record(context, record, shown_fields, id_type, automatic=automatic) for record in page.items]
    more = {"page_token": page.token} if page.has_more else {}
    return {"has_more": page.has_more, **more, "total": total, "items": items}
