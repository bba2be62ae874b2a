"""Valid cell values by field type.

Shapes and limits:
https://open.feishu.cn/document/docs/bitable-v1/app-table-record/bitable-record-data-structure-overview
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.base.field_types import (
    ATTACHMENT,
    CHECKBOX,
    DATE,
    DUPLEX_LINK,
    GROUP,
    LINK,
    LOCATION,
    MULTI_SELECT,
    NUMBER,
    PERSON,
    PHONE,
    SINGLE_SELECT,
    TEXT,
    URL,
)
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.people import UserIdType

_FIELD_TYPES_DO_NOT_MATCH = 1254015
_TOO_LARGE_CELL = 1254130
_MOST = {MULTI_SELECT: 1000, PERSON: 1000, LINK: 500, DUPLEX_LINK: 500, GROUP: 10}
_MOST_ATTACHMENTS = 100
_MOST_CHARACTERS = 100_000
_LAST_TIME_MS = 253_402_300_799_999  # the end of the year 9999

_PHONE = re.compile(r"\+?[0-9]{0,64}")
_COORDINATES = re.compile(r"-?[0-9]{1,3}(\.[0-9]+)?,-?[0-9]{1,2}(\.[0-9]+)?")


def check_cells(
    context: AppContext, fields: list[Object], cells: Object, id_type: UserIdType, refusal: BaseRefusals
) -> None:
    """Reject cells that do not fit their fields; null empties any cell.

    A table without recorded fields accepts anything.

    Raises:
        LarkError: A field name is unknown (1254045), a value has the wrong shape (125406x, 125407x, 1254015), or a cell
            is too large (1254130, attachments 1254106).
    """
    by_name = {field.get("field_name"): field for field in fields}
    if fields and not cells.keys() <= by_name.keys():
        raise refusal(1254045)
    for name, value in cells.items():
        field = by_name.get(name)
        if field is not None and value is not None:
            _check_cell(context, field, value, id_type, refusal)


def _check_cell(context: AppContext, field: Object, value: Any, id_type: UserIdType, refusal: BaseRefusals) -> None:
    kind = field.get("type", TEXT)
    code, fits = _SHAPES.get(kind, (_FIELD_TYPES_DO_NOT_MATCH, _nothing))
    if not fits(value):
        raise refusal(code)
    if kind == TEXT and len(text_of(value)) > _MOST_CHARACTERS:
        raise refusal(_TOO_LARGE_CELL)
    if kind in _MOST and len(value) > _MOST[kind]:
        raise refusal(_TOO_LARGE_CELL)
    if kind == ATTACHMENT and len(value) > _MOST_ATTACHMENTS:
        raise refusal(1254106)
    if kind == PERSON and not all(_is_person(context, person["id"], id_type) for person in value):
        raise refusal(code)
    if kind in (LINK, DUPLEX_LINK) and not _are_records(context, (field.get("property") or {}).get("table_id"), value):
        raise refusal(code)


def text_of(cell: Any) -> str:
    """Return the text of a text cell, which is a string or segments."""
    if isinstance(cell, list):
        return "".join(str(segment.get("text", "")) for segment in cell if isinstance(segment, dict))
    return cell if isinstance(cell, str) else "" if cell is None else str(cell)


def _is_person(context: AppContext, person_id: str, id_type: UserIdType) -> bool:
    """Return whether an id has the announced type and, if the tenant's people are known, a user."""
    if not people.is_well_formed(person_id, id_type):
        return False
    return people.find_user(context, person_id, id_type) is not None or context.first("user") is None


def _are_records(context: AppContext, table_id: str | None, record_ids: list[str]) -> bool:
    """Return whether all ids are records of the linked table, if that table is known."""
    if not table_id or context.get("table", table_id) is None:
        return True
    return all(context.get("record", (table_id, record_id)) for record_id in record_ids)


def _nothing(_: Any) -> bool:
    """Reject every value: formulas, lookups, automatic fields and unknown types cannot be written."""
    return False


def _is_text(value: Any) -> bool:
    segments = isinstance(value, list) and all(
        isinstance(segment, dict) and isinstance(segment.get("text"), str) for segment in value
    )
    return isinstance(value, str) or segments


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_option(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_list_of_options(value: Any) -> bool:
    return isinstance(value, list) and all(_is_option(item) for item in value)


def _is_time(value: Any) -> bool:
    return _is_number(value) and value == int(value) and abs(value) <= _LAST_TIME_MS


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_phone(value: Any) -> bool:
    return isinstance(value, str) and _PHONE.fullmatch(value) is not None


def _is_url(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("link"), str) and isinstance(value.get("text", ""), str)


def _is_location(value: Any) -> bool:
    return isinstance(value, str) and _COORDINATES.fullmatch(value) is not None


def _is_list_with(key: str) -> Callable[[Any], bool]:
    """Return a check for a list of objects that each have an id under `key`."""
    return lambda value: isinstance(value, list) and all(isinstance(i, dict) and _is_option(i.get(key)) for i in value)


# field type: (error code for a wrong shape, check of the shape)
_SHAPES: dict[int, tuple[int, Callable[[Any], bool]]] = {
    TEXT: (1254060, _is_text),
    NUMBER: (1254061, _is_number),
    SINGLE_SELECT: (1254062, _is_option),
    MULTI_SELECT: (1254063, _is_list_of_options),
    DATE: (1254064, _is_time),
    CHECKBOX: (1254065, _is_flag),
    PERSON: (1254066, _is_list_with("id")),
    PHONE: (1254072, _is_phone),
    URL: (1254068, _is_url),
    ATTACHMENT: (1254069, _is_list_with("file_token")),
    LINK: (1254067, _is_list_of_options),
    DUPLEX_LINK: (1254074, _is_list_of_options),
    LOCATION: (_FIELD_TYPES_DO_NOT_MATCH, _is_location),
    GROUP: (_FIELD_TYPES_DO_NOT_MATCH, _is_list_with("id")),
}
