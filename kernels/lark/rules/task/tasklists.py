"""Tasklists, their sections and custom fields; no tool creates them, so they exist only through tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.field_sizes import check_size
from soundstage.kernels.lark.rules.task import fields, refusals
from soundstage.kernels.types import Arguments

_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def placements(context: AppContext, sent: list[Arguments]) -> list[Object]:
    """Return `tasklists` of a new task, each with its section, by default the first known one.

    Raises:
        LarkError: 99992402, 1470400, 1470404.
    """
    return [_placement(context, place) for place in sent]


def custom_fields(context: AppContext, present: list[Object], sent: list[Arguments], id_type: str) -> list[Object]:
    """Return `custom_fields` after the sent values, each of which sets or clears one field.

    Raises:
        LarkError: 99992402, 1470400, 1470404, 1470500.
    """
    after = {field["guid"]: field for field in present}
    for value in sent:
        guid = value["guid"]
        known = after.get(guid) or next((f for f in _known_fields(context) if f.get("guid") == guid), None)
        if known is None:
            raise refusals.not_found("custom field does not exist or has been deleted.")
        kind = known.get("type", "text")
        shared = {"guid": guid, "type": kind, "name": known.get("name", "")}
        after[guid] = {**shared, f"{kind}_value": _value(context, kind, value, id_type)}
    return list(after.values())


def _placement(context: AppContext, sent: Arguments) -> Object:
    guid = sent.get("tasklist_guid", "")
    if not guid:
        raise refusals.invalid_param("tasklists.tasklist_guid", "param is required.")
    check_size("tasklists.tasklist_guid", guid, 0, 100)
    sections = [p.get("section_guid", "") for p in _known_placements(context) if p.get("tasklist_guid") == guid]
    if not sections:
        raise refusals.not_found("tasklist does not exist or has been deleted.")
    section = sent.get("section_guid") or sections[0]
    if section not in sections:
        raise refusals.not_found("section does not exist or has been deleted.")
    return {"tasklist_guid": guid, "section_guid": section}


def _known_placements(context: AppContext) -> Iterator[Object]:
    for task in context.list("task", {"tasklists !=": []}):
        yield from task["tasklists"]


def _known_fields(context: AppContext) -> Iterator[Object]:
    for task in context.list("task", {"custom_fields !=": []}):
        yield from task["custom_fields"]


def _value(context: AppContext, kind: str, sent: Arguments, id_type: str) -> object:
    name = f"{kind}_value"
    if name not in sent:
        raise refusals.invalid_param(f"custom_fields.{name}", "param is required.")
    value = sent[name]
    match kind:
        case "number":
            check_size(f"custom_fields.{name}", value, 0, 20)
            if value and not _NUMBER.fullmatch(value):
                raise refusals.invalid_param(f"custom_fields.{name}", "must be a number.")
        case "datetime":
            return str(fields.timestamp(f"custom_fields.{name}", value)) if value else ""
        case "member":
            return [_member(context, member, id_type) for member in value]
        case "text":
            check_size(f"custom_fields.{name}", value, 0, fields.TEXT_LIMIT)
    return value


def _member(context: AppContext, sent: Arguments, id_type: str) -> Object:
    user = people.find_user(context, sent.get("id", ""), id_type)
    if user is None or sent.get("type", "user") != "user":
        raise refusals.server_failure("the user among the members does not exist.", kind="not_found")
    return {"id": user["open_id"], "type": "user", "role": "editor", "name": user.get("name", "")}
