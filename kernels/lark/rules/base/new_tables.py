"""Creation of a table: its name, its default view and its first fields.

Rules: https://open.feishu.cn/document/server-docs/docs/bitable-v1/app-table/create
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.field_types import (
    AUTO_NUMBER,
    CREATED_TIME,
    DATE,
    DUPLEX_LINK,
    GROUP,
    INDEX_TYPES,
    LINK,
    LOCATION,
    MODIFIED_TIME,
    MULTI_SELECT,
    NUMBER,
    PERSON,
    SINGLE_SELECT,
    TEXT,
    UI_TYPES,
)
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.errors import field_violation

DEFAULT_VIEW_NAME = "表格"
INDEX_FIELD_NAME = "文本"
_MOST_TABLES = 100
_MOST_FIELDS = 300
_NAME_CHARACTERS = 100
_COLORS = 55
_BARRED_IN_NAMES = frozenset("/\\?*:[]")
_BARRED_IN_VIEW_NAMES = frozenset("[]")

# Default properties by field type; other types have no property.
_DEFAULT_PROPERTY: dict[int, Object] = {
    NUMBER: {"formatter": "0.0"},
    SINGLE_SELECT: {"options": []},
    MULTI_SELECT: {"options": []},
    DATE: {"auto_fill": False, "date_formatter": "yyyy/MM/dd"},
    PERSON: {"multiple": True},
    LINK: {"multiple": True},
    DUPLEX_LINK: {"multiple": True},
    GROUP: {"multiple": True},
    LOCATION: {"location": {"input_type": "not_limit"}},
    CREATED_TIME: {"date_formatter": "yyyy/MM/dd"},
    MODIFIED_TIME: {"date_formatter": "yyyy/MM/dd"},
    AUTO_NUMBER: {"auto_serial": {"type": "auto_increment_number"}},
}


def check_table(context: AppContext, app_token: str, wanted: Object, refusal: BaseRefusals) -> None:
    """Reject a table that the base does not accept.

    Raises:
        LarkError: The name is missing or has a forbidden character, or there is a view without fields (1254001); the
            name is
            too long (99992402) or in use (1254013); there are too many tables (1254100); the view name is invalid
                (1254021,
            1254022). For its fields: the type is invalid (1254012), a name is invalid (1254029) or duplicate (1254014),
                the
            linked table is unknown (1254041), an option has no name (1254001) or an unknown colour, or there are too
                many or
            none (99992402).
    """
    name = wanted.get("name", "").strip()
    if not name or _BARRED_IN_NAMES & set(name):
        raise refusal(1254001)
    if len(name) > _NAME_CHARACTERS:
        raise field_violation("table.name", f"the max len is {_NAME_CHARACTERS}")
    if "fields" in wanted:
        _check_fields(context, app_token, wanted["fields"], refusal)
    if "default_view_name" in wanted:
        view_name = wanted["default_view_name"].strip()
        if not view_name:
            raise refusal(1254021)
        if _BARRED_IN_VIEW_NAMES & set(view_name):
            raise refusal(1254022)
        if "fields" not in wanted:
            raise refusal(1254001)
    tables = context.list("table", {"app_token": app_token})
    if any(table.get("name") == name for table in tables):
        raise refusal(1254013)
    if len(tables) >= _MOST_TABLES:
        raise refusal(1254100)


def make_table(context: AppContext, app_token: str, wanted: Object) -> tuple[Object, list[Object]]:
    """Add a validated table with its fields, the first of which is the index."""
    table = context.create(
        "table",
        {
            "app_token": app_token,
            "name": wanted["name"].strip(),
            "revision": 1,
            "default_view_id": context.new_id("view", "vew{alnum:7}"),
            "default_view_name": wanted.get("default_view_name", DEFAULT_VIEW_NAME).strip(),
        },
    )
    fields = wanted.get("fields") or [{"field_name": INDEX_FIELD_NAME, "type": TEXT}]
    made = [_make_field(context, table, field, is_primary=place == 0) for place, field in enumerate(fields)]
    return table, made


def _check_fields(context: AppContext, app_token: str, fields: list[Object], refusal: BaseRefusals) -> None:
    if not fields:
        raise field_violation("table.fields", "the min len is 1")
    if len(fields) > _MOST_FIELDS:
        raise field_violation("table.fields", f"the max len is {_MOST_FIELDS}")
    for place, field in enumerate(fields):
        ui_types = UI_TYPES.get(field["type"])
        if ui_types is None or (place == 0 and field["type"] not in INDEX_TYPES):
            raise refusal(1254012)
        if field.get("ui_type", ui_types[0]) not in ui_types:
            raise refusal(1254012)
        if not field["field_name"].strip():
            raise refusal(1254029)
        _check_options((field.get("property") or {}).get("options") or [], refusal)
        if field["type"] in (LINK, DUPLEX_LINK) and _linked_table(context, app_token, field) is None:
            raise refusal(1254041)
    names = [field["field_name"].strip() for field in fields]
    if len(set(names)) < len(names):
        raise refusal(1254014)


def _check_options(options: list[Object], refusal: BaseRefusals) -> None:
    for option in options:
        if not option.get("name"):
            raise refusal(1254001)
        color = option.get("color", 0)
        if not 0 <= color < _COLORS or color != int(color):
            raise field_violation("table.fields.property.options.color", f"the max value is {_COLORS - 1}")


def _linked_table(context: AppContext, app_token: str, field: Object) -> Object | None:
    """Return the table that a link field points to, by id or else by name."""
    target = field.get("property") or {}
    if table_id := target.get("table_id"):
        table = context.get("table", table_id)
        return table if table and table.get("app_token") == app_token else None
    return context.first("table", {"app_token": app_token, "name": target.get("table_name", "")})


def _make_field(context: AppContext, table: Object, wanted: Object, *, is_primary: bool) -> Object:
    kind = int(wanted["type"])
    field: Object = {
        "table_id": table["table_id"],
        "app_token": table["app_token"],
        "field_name": wanted["field_name"].strip(),
        "type": kind,
        "ui_type": wanted.get("ui_type", UI_TYPES[kind][0]),
        "is_primary": is_primary,
        "property": _property(context, table, kind, wanted),
    }
    if "description" in wanted:
        field["description"] = wanted["description"]
    made = context.create("field", field)
    if kind == DUPLEX_LINK:
        _make_back_field(context, table, made)
    return made


def _property(context: AppContext, table: Object, kind: int, wanted: Object) -> Any:
    given = wanted.get("property") or {}
    if kind not in _DEFAULT_PROPERTY:
        return given or None
    made = {**_DEFAULT_PROPERTY[kind], **given}
    if kind in (SINGLE_SELECT, MULTI_SELECT):
        made["options"] = _options(context, made["options"])
    if kind in (LINK, DUPLEX_LINK):
        linked = _linked_table(context, table["app_token"], wanted) or {}
        made |= {"table_id": linked["table_id"], "table_name": linked.get("name", "")}
    return made


def _options(context: AppContext, wanted: list[Object]) -> list[Object]:
    """Return options with new ids; the default colour is the one after the previous option's."""
    options: list[Object] = []
    for option in wanted:
        following = (options[-1]["color"] + 1) % _COLORS if options else 0
        color = int(option.get("color", following))
        options.append({"id": context.new_id("option", "opt{alnum:7}"), "name": option["name"], "color": color})
    return options


def _make_back_field(context: AppContext, table: Object, field: Object) -> None:
    """Add the field in the linked table that shows a two-way link."""
    target = field["property"]
    name = target.get("back_field_name") or f"{table['name']}-{field['field_name']}"
    back = context.create(
        "field",
        {
            "table_id": target["table_id"],
            "app_token": table["app_token"],
            "field_name": name,
            "type": DUPLEX_LINK,
            "ui_type": UI_TYPES[DUPLEX_LINK][0],
            "is_primary": False,
            "property": {
                "multiple": True,
                "table_id": table["table_id"],
                "table_name": table["name"],
                "back_field_id": field["field_id"],
                "back_field_name": field["field_name"],
            },
        },
    )
    context.update(
        "field",
        (field["table_id"], field["field_id"]),
        {"property": {**target, "back_field_id": back["field_id"], "back_field_name": name}},
    )
