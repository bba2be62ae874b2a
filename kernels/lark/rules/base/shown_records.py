"""Records as a search shows them: text as segments, people and chats with names, links as {link_record_ids}.

Shapes: https://open.feishu.cn/document/docs/bitable-v1/app-table-record/bitable-record-data-structure-overview
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.base import field_types
from soundstage.kernels.lark.rules.base.duplex_links import linked_ids
from soundstage.kernels.lark.rules.chat_avatars import avatar_url
from soundstage.kernels.lark.rules.people import UserIdType

# Fields that show properties of the record.
_AUTOMATIC = {
    field_types.CREATED_USER: "created_by",
    field_types.CREATED_TIME: "created_time",
    field_types.MODIFIED_USER: "last_modified_by",
    field_types.MODIFIED_TIME: "last_modified_time",
}


def cell_of(record: Object, field: Object) -> Any:
    """Return the value of a field as written, or None if empty; automatic fields read the record's properties."""
    value = (record.get("fields") or {}).get(field["field_name"])
    if value is None and (member := _AUTOMATIC.get(field.get("type", field_types.TEXT))):
        value = record.get(member)
        return [value] if isinstance(value, dict) else value
    return None if value in ("", []) else value


def shown_record(
    context: AppContext, record: Object, fields: list[Object], id_type: UserIdType, *, automatic: bool
) -> Object:
    """Return a record with its filled cells in the order of their names.

    `automatic` adds who created and changed it and when.
    """
    cells = {field["field_name"]: _shown_cell(context, field, cell_of(record, field), id_type) for field in fields}
    shown: Object = {
        "fields": {name: cells[name] for name in sorted(cells) if cells[name] is not None},
        "record_id": record["record_id"],
    }
    for member in _AUTOMATIC.values() if automatic else ():
        if member in record:
            value = record[member]
            shown[member] = _shown_person(context, value, id_type) if isinstance(value, dict) else value
    return shown


def _shown_cell(context: AppContext, field: Object, cell: Any, id_type: UserIdType) -> Any:
    match field.get("type", field_types.TEXT), cell:
        case field_types.TEXT, str():
            return [_segment(cell, field.get("ui_type"))]
        case ((field_types.PERSON | field_types.CREATED_USER | field_types.MODIFIED_USER), list()):
            return [_shown_person(context, person, id_type) for person in cell if isinstance(person, dict)]
        case field_types.URL, dict():
            return {"link": cell.get("link", ""), "text": cell.get("text") or cell.get("link", "")}
        case ((field_types.LINK | field_types.DUPLEX_LINK), _) if cell is not None:
            return {"link_record_ids": linked_ids(cell)}
        case field_types.LOCATION, str():
            # The place at the coordinates is unknown here, so its names stay empty.
            names = dict.fromkeys(("address", "adname", "cityname", "name", "pname"), "")
            return {**names, "full_address": cell, "location": cell}
        case field_types.GROUP, list():
            return [_shown_chat(context, chat) for chat in cell if isinstance(chat, dict)]
        case _:
            return cell


def _segment(text: str, ui_type: str | None) -> Object:
    if ui_type == "Email":
        return {"link": f"mailto:{text}", "text": text, "type": "url"}
    return {"text": text, "type": "text"}


def _shown_person(context: AppContext, person: Object, id_type: UserIdType) -> Object:
    """Return a person with the requested id type; an unknown person is shown as recorded."""
    user = people.find_by_any_id(context, str(person.get("id", "")))
    if user is None:
        return person
    return {
        "avatar_url": "",
        "email": user.get("email", ""),
        "en_name": user.get("en_name") or user.get("name", ""),
        "id": user.get(id_type) or user["open_id"],
        "name": user.get("name", ""),
    }


def _shown_chat(context: AppContext, group: Object) -> Object:
    chat = context.get("chat", str(group.get("id", "")))
    if chat is None:
        return group
    avatar = chat.get("avatar") or avatar_url()
    return {"avatar_url": avatar, "id": chat["chat_id"], "name": chat.get("name", "")}
