"""The filter of a search: one test per condition, by the type of its field.

Operators and values per type: https://open.feishu.cn/document/docs/bitable-v1/app-table-record/record-filter-guide
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base import field_types, record_days
from soundstage.kernels.lark.rules.base.cells import text_of
from soundstage.kernels.lark.rules.base.duplex_links import linked_ids
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.base.shown_records import cell_of

Test = Callable[[Any], bool]

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "is": operator.eq,
    "isNot": operator.ne,
    "isGreater": operator.gt,
    "isGreaterEqual": operator.ge,
    "isLess": operator.lt,
    "isLessEqual": operator.le,
}
_TEXTS = {
    field_types.TEXT,
    field_types.PHONE,
    field_types.URL,
    field_types.LOCATION,
    field_types.AUTO_NUMBER,
    field_types.UNKNOWN,
}
_DATES = {field_types.DATE, field_types.CREATED_TIME, field_types.MODIFIED_TIME}
_PEOPLE = {field_types.PERSON, field_types.CREATED_USER, field_types.MODIFIED_USER}
_CHOICES = {field_types.SINGLE_SELECT, field_types.MULTI_SELECT, field_types.GROUP}
_LINKS = {field_types.LINK, field_types.DUPLEX_LINK}
_NEVER_FILTERED = {field_types.FORMULA, field_types.LOOKUP}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of conditions: the current time, the base's time zone, and the resolution of user ids."""

    now: datetime
    zone: ZoneInfo
    person: Callable[[str], str]


def filter_test(filter_info: Object, fields: list[Object], around: Surroundings, refusal: BaseRefusals) -> Test:
    """Return a test of records.

    Raises:
        LarkError: A field name is unknown (1254045), the conjunction is missing, or the field's type does not support
            the
            operator or value (1254018).
    """
    conditions = filter_info.get("conditions") or []
    by_name = {field["field_name"]: field for field in fields}
    tests: list[tuple[Object, Test]] = []
    for condition in conditions:
        field = by_name.get(condition["field_name"])
        if field is None:
            raise refusal(1254045)
        test = _cell_test(field.get("type", field_types.TEXT), condition["operator"], condition.get("value"), around)
        if test is None:
            raise refusal(1254018)
        tests.append((field, test))
    if not tests:
        return lambda record: True
    if "conjunction" not in filter_info:
        raise refusal(1254018)
    met = all if filter_info["conjunction"] == "and" else any
    return lambda record: met(test(cell_of(record, field)) for field, test in tests)


def plain_text(cell: Any) -> str:
    """Return a cell as the text that filters and sorts compare."""
    if isinstance(cell, dict):
        return str(cell.get("text") or cell.get("full_address") or cell.get("link") or "")
    return text_of(cell)


def number_of(cell: Any) -> float | None:
    """Return a cell as a number, or None."""
    return cell if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def _cell_test(kind: int, name: str, value: list[str] | None, around: Surroundings) -> Test | None:
    """Return the test of one condition, or None if the type does not support the operator or value.

    `value` is required even if it is empty.
    """
    if value is None or kind in _NEVER_FILTERED:
        return None
    if name in ("isEmpty", "isNotEmpty"):
        return None if value or kind == field_types.CHECKBOX else lambda cell: (cell is None) == (name == "isEmpty")
    if kind in _TEXTS:
        return _text_test(name, value)
    if kind == field_types.NUMBER:
        return _number_test(name, value)
    if kind in _DATES:
        return _date_test(name, value, around)
    if kind == field_types.CHECKBOX:
        return _flag_test(name, value)
    if kind in _PEOPLE:
        return _set_test(name, value, around.person)
    if kind in _CHOICES or kind in _LINKS:
        return _set_test(name, value, lambda item: item)
    return None


def _text_test(name: str, value: list[str]) -> Test | None:
    if len(value) != 1:
        return None
    wanted = value[0]
    match name:
        case "is" | "isNot":
            return lambda cell: (plain_text(cell) == wanted) == (name == "is")
        case "contains" | "doesNotContain":
            return lambda cell: (wanted.casefold() in plain_text(cell).casefold()) == (name == "contains")
        case _:
            return None


def _number_test(name: str, value: list[str]) -> Test | None:
    compare = _COMPARISONS.get(name)
    wanted = _parsed(value[0]) if len(value) == 1 else None
    if compare is None or wanted is None:
        return None

    def test(cell: Any) -> bool:
        """Compare the cell's number."""
        number = number_of(cell)
        return name == "isNot" if number is None else compare(number, wanted)

    return test


def _parsed(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _date_test(name: str, value: list[str], around: Surroundings) -> Test | None:
    days = record_days.days_meant(value, around.now, around.zone)
    if days is None or (name != "is" and not record_days.is_single_day(value)):
        return None
    begin, end = record_days.milliseconds(days, around.zone)
    within: dict[str, Callable[[float], bool]] = {
        "is": lambda moment: begin <= moment < end,
        "isGreater": lambda moment: moment >= end,
        "isLess": lambda moment: moment < begin,
    }
    check = within.get(name)
    return None if check is None else lambda cell: (moment := number_of(cell)) is not None and check(moment)


def _flag_test(name: str, value: list[str]) -> Test | None:
    if name != "is" or value not in (["true"], ["false"]):
        return None
    return lambda cell: (cell is True) == (value == ["true"])


def _set_test(name: str, value: list[str], meaning: Callable[[str], str]) -> Test | None:
    """Return a test for cells with several names or ids: `is` accepts one value, `contains` any of several."""
    wanted = {meaning(item) for item in value}
    match name:
        case "is" | "isNot" if len(value) == 1:
            return lambda cell: (_members(cell, meaning) == wanted) == (name == "is")
        case "contains" | "doesNotContain" if value:
            return lambda cell: bool(_members(cell, meaning) & wanted) == (name == "contains")
        case _:
            return None


def _members(cell: Any, meaning: Callable[[str], str]) -> set[str]:
    """Return the options, people, chats or records in a cell."""
    if isinstance(cell, dict):
        return set(linked_ids(cell))
    items = cell if isinstance(cell, list) else [cell]
    ids = [item.get("id") if isinstance(item, dict) else item for item in items]
    return {meaning(i) for i in ids if isinstance(i, str)}
