"""The order in which a search returns records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base import field_types
from soundstage.kernels.lark.rules.base.record_filter import number_of, plain_text
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.base.shown_records import cell_of

_NUMBERS = {field_types.NUMBER, field_types.DATE, field_types.CREATED_TIME, field_types.MODIFIED_TIME}
_SELECTS = {field_types.SINGLE_SELECT, field_types.MULTI_SELECT}


def sort_records(
    records: list[Object], sort: list[Object], fields: list[Object], refusal: BaseRefusals
) -> list[Object]:
    """Sort records by the first sort field, then the second and so on, with empty cells always last.

    Raises:
        LarkError: A field name is missing or unknown (1254016).
    """
    by_name = {field["field_name"]: field for field in fields}
    for rule in reversed(sort):
        field = by_name.get(rule.get("field_name"))
        if field is None:
            raise refusal(1254016)
        key = _key(field)
        filled = [(value, record) for record in records if (value := key(cell_of(record, field))) is not None]
        empty = [record for record in records if key(cell_of(record, field)) is None]
        filled.sort(key=lambda pair: pair[0], reverse=rule.get("desc", False))
        records = [record for _, record in filled] + empty
    return records


def _key(field: Object) -> Callable[[Any], Any]:
    """Return the sort key of a field's cells, None for an empty one; options sort by their position."""
    kind = field.get("type", field_types.TEXT)
    if kind in _NUMBERS:
        return number_of
    if kind == field_types.CHECKBOX:
        return lambda cell: cell is True
    if kind in _SELECTS:
        options = (field.get("property") or {}).get("options") or []
        places = {option.get("name"): place for place, option in enumerate(options)}
        return lambda cell: _places(cell, places)
    return lambda cell: None if cell is None else _words(cell).casefold()


def _places(cell: Any, places: dict[str, int]) -> list[int] | None:
    if cell is None:
        return None
    return [
        places.get(name, len(places)) for name in (cell if isinstance(cell, list) else [cell]) if isinstance(name, str)
    ]


def _words(cell: Any) -> str:
    """Return a cell of any other type as text: people, chats and files by name."""
    if isinstance(cell, list) and not any(isinstance(item, dict) and "text" in item for item in cell):
        return " ".join(
            str(item.get("name") or item.get("id", "")) if isinstance(item, dict) else str(item) for item in cell
        )
    return plain_text(cell)
