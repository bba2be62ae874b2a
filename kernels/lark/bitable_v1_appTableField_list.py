"""The `bitable_v1_appTableField_list` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.bases import check_view, fields_of, open_base, open_table
from soundstage.kernels.lark.rules.base.pages import page_after, page_size
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.document_rights import VIEW
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_PAGE_LIMIT = 100
_SHOWN = ("field_id", "field_name", "type", "ui_type", "is_primary", "property")
_refusal = BaseRefusals("bitable_v1_appTableField_list")


def run(context: AppContext, arguments: Arguments) -> Object:
    """List a table's fields with their types and options."""
    path, params = arguments["path"], arguments.get("params") or {}
    who = caller(context, arguments, "bitable:app:readonly", "base:field:read")
    size = page_size(params, _PAGE_LIMIT, _refusal)
    open_base(context, who, path["app_token"], VIEW, _refusal)
    table = open_table(context, path["app_token"], path["table_id"], _refusal)
    check_view(table, params.get("view_id"), _refusal)
    as_array = params.get("text_field_as_array", False)
    fields = [_shown(field, as_array=as_array) for field in fields_of(context, path["table_id"])]
    return page_after(fields, "field_id", size, params.get("page_token"), _refusal)


def _shown(field: Object, *, as_array: bool) -> Object:
    shown = {name: field.get(name) for name in _SHOWN if name in field or name == "property"}
    text = _words(field.get("description"))
    if text:
        shown["description"] = [{"text": text, "type": "text"}] if as_array else text
    return shown


def _words(description: Any) -> str:
    """Return a field's description, which is stored as a string, as {text} or as segments."""
    if isinstance(description, list):
        return "".join(_words(part) for part in description)
    return str((description.get("text") if isinstance(description, dict) else description) or "")
