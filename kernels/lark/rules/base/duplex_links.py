"""Two-way links: a link on one side appears in the paired field of the other table."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.field_types import DUPLEX_LINK


def linked_ids(cell: object) -> list[str]:
    """Return the record ids of a link cell, stored as written (a list) or as shown ({link_record_ids})."""
    ids = cell.get("link_record_ids") if isinstance(cell, dict) else cell
    return [i for i in ids if isinstance(i, str)] if isinstance(ids, list) else []


def mirror(context: AppContext, fields: list[Object], record_id: str, before: Object, after: Object) -> None:
    """Apply a record's changed two-way links to the linked records."""
    for field in fields:
        if field.get("type") != DUPLEX_LINK:
            continue
        target = field.get("property") or {}
        old, new = (linked_ids(cells.get(field["field_name"])) for cells in (before, after))
        back = _back_field_name(context, target)
        if not back or not target.get("table_id"):
            continue
        for other_id in dict.fromkeys([*old, *new]):
            if (other_id in old) != (other_id in new):
                _set_link(context, (target["table_id"], other_id), back, record_id, other_id in new)


def _back_field_name(context: AppContext, target: Object) -> str | None:
    back_id = target.get("back_field_id")
    back = context.get("field", (target.get("table_id", ""), back_id)) if back_id else None
    name: str | None = (back or {}).get("field_name") or target.get("back_field_name")
    return name


def _set_link(context: AppContext, key: tuple[str, str], name: str, record_id: str, linked: bool) -> None:
    record = context.get("record", key)
    if record is None:
        return
    cells = record.get("fields") or {}
    ids = [i for i in linked_ids(cells.get(name)) if i != record_id]
    context.update("record", key, {"fields": {**cells, name: [*ids, record_id] if linked else ids}})
