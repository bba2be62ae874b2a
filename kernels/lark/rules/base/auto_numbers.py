"""Numbers of automatic-number fields in new records.

Rules: https://open.feishu.cn/document/server-docs/docs/bitable-v1/app-table-field/guide
"""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.field_types import AUTO_NUMBER

_DATE_PARTS = {"yyyyMMdd": "%Y%m%d", "yyyyMM": "%Y%m", "yyyy": "%Y", "MMdd": "%m%d", "MM": "%m", "dd": "%d"}


def auto_numbers(fields: list[Object], number: int, moment: datetime) -> Object:
    """Return the automatic numbers of a record by field name; `moment` is its creation in the base's zone."""
    return {f["field_name"]: _formatted(f, number, moment) for f in fields if f.get("type") == AUTO_NUMBER}


def _formatted(field: Object, number: int, moment: datetime) -> str:
    serial = (field.get("property") or {}).get("auto_serial") or {}
    parts = serial.get("options") or []
    if serial.get("type") != "custom" or not parts:
        return str(number)
    return "".join(_part(part.get("type"), str(part.get("value", "")), number, moment) for part in parts)


def _part(kind: str | None, value: str, number: int, moment: datetime) -> str:
    match kind:
        case "system_number":
            return str(number).zfill(int(value) if value in "123456789" and value else 1)
        case "created_time":
            return moment.strftime(_DATE_PARTS.get(value, "%Y%m%d"))
        case _:
            return value
