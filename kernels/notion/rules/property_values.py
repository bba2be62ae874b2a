"""The values of a page's properties: validation, stored form and representation.

Sources: https://developers.notion.com/reference/page-property-values, recorded replies and the reports named below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import dates, ids, media, options, property_schema, rich_text
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.validation import (
    OR_NULL,
    array,
    boolean,
    choice,
    json_object,
    member,
    need_one,
    number,
    only,
    refuse,
    string,
)

PLAIN_PAGE: Schema = {"title": {"id": "title", "type": "title"}}
"""The part of the schema of a page outside a data source that its value needs."""


@dataclass(frozen=True, slots=True)
class SentValue:
    """A value of a request: the property's name or id as sent, the type it was sent as, and the value."""

    key: str
    type: str
    value: Any


def _nullable_text(context: AppContext, value: Any, path: str) -> str | None:
    if value == "":
        refuse(path, "populated or `null`", value)
    return None if value is None else string(value, path, OR_NULL)


def _number(context: AppContext, value: Any, path: str) -> int | float | None:
    return None if value is None else number(value, path, OR_NULL)


def _checkbox(context: AppContext, value: Any, path: str) -> bool:
    return boolean(value, path)


def _date(context: AppContext, value: Any, path: str) -> Object | None:
    return None if value is None else dates.parse(value, path)


def _option(context: AppContext, value: Any, path: str) -> Object | None:
    return None if value is None else options.parse(json_object(value, path, OR_NULL), path)


def _options(context: AppContext, value: Any, path: str) -> list[Object]:
    return options.parse_list(value, path)


def _people(context: AppContext, value: Any, path: str) -> list[Object]:
    return [{"object": "user", "id": identifier} for identifier in _references(value, path)]


def _relation(context: AppContext, value: Any, path: str) -> list[Object]:
    return [{"id": identifier} for identifier in _references(value, path)]


def _references(value: Any, path: str) -> list[str]:
    items = [json_object(item, f"{path}[{i}]") for i, item in enumerate(array(value, path, limit=100))]
    return [ids.need_uuid(member(item, "id", f"{path}[{i}]"), f"{path}[{i}].id") for i, item in enumerate(items)]


def _files(context: AppContext, value: Any, path: str) -> list[Object]:
    files: list[Object] = []
    for i, item in enumerate(array(value, path, limit=100)):
        file = media.parse(context, json_object(item, f"{path}[{i}]"), f"{path}[{i}]", named=True)
        files.append({"name": file["name"], "type": "external", "external": file["external"]})
    return files


# In the order of the API's list for a value without a type; other types cannot be written.
_PARSERS: dict[str, Callable[[AppContext, Any, str], Any]] = {
    "title": rich_text.parse,
    "rich_text": rich_text.parse,
    "number": _number,
    "url": _nullable_text,
    "select": _option,
    "multi_select": _options,
    "people": _people,
    "email": _nullable_text,
    "phone_number": _nullable_text,
    "date": _date,
    "checkbox": _checkbox,
    "relation": _relation,
    "files": _files,
    "status": _option,
}


def schema_by(stored: Object) -> Schema:
    """Derive a schema from a row's values, for rows whose data source is missing in the state."""
    return {
        name: {"id": value.get("id"), "type": value["type"]}
        for name, value in stored.items()
        if isinstance(value, dict) and "type" in value
    }


def parse(context: AppContext, value: Any, path: str) -> list[SentValue]:
    """Return the values of a request, validated without access to the page.

    Raises:
        NotionError: In the words of the API's validation.
    """
    return [_written(context, key, item, f"{path}.{key}") for key, item in json_object(value, path).items()]


def _written(context: AppContext, key: str, value: Any, path: str) -> SentValue:
    sent = json_object(value, path)
    kind = next((kind for kind in _PARSERS if kind in sent), None)
    if kind is None:
        need_one(path, _PARSERS)
    only(sent, ("id", "type", kind), path)
    if "type" in sent:
        choice(sent["type"], (kind,), f"{path}.type")
    return SentValue(key, kind, _PARSERS[kind](context, sent[kind], f"{path}.{kind}"))


def apply(context: AppContext, schema: Schema, before: Object, written: list[SentValue]) -> tuple[Object, Schema]:
    """Return a page's properties after a write, and the schema with options that the write uses for the first time.

    Raises:
        NotionError: Properties are unknown or have wrong types, all in one message, or an option is invalid.
    """
    names = [property_schema.find(schema, item.key) for item in written]
    problems: list[str] = []
    for item, name in zip(written, names, strict=True):
        if name is None:
            problems.append(f"{item.key} is not a property that exists.")
        elif schema[name]["type"] != item.type:
            problems.append(f"{item.key} is expected to be {schema[name]['type']}.")
    if problems:
        raise invalid(" ".join(problems))
    after, extended = dict(before), dict(schema)
    for item, name in zip(written, names, strict=True):
        assert name is not None
        value = item.value
        if item.type in options.OPTION_TYPES:
            value, extended[name] = _chosen(context, extended[name], item)
        identifier = schema[name]["id"]
        after = {key: value_ for key, value_ in after.items() if key == name or value_.get("id") != identifier}
        after[name] = {"id": identifier, "type": item.type, item.type: value}
    return after, extended


def _chosen(context: AppContext, config: Object, item: SentValue) -> tuple[Any, Object]:
    """Return the options that a value names, and the configuration with new ones added."""
    declared: Object = config.get(item.type) or {}
    known: list[Object] = list(declared.get("options", []))
    wanted = item.value if isinstance(item.value, list) else [item.value] if item.value is not None else []
    chosen: list[Object] = []
    for sent in wanted:
        option = options.find(known, sent)
        if option is None:
            option = _new_option(context, sent, closed=item.type == "status" and "options" in declared)
            known.append(option)
        elif sent.get("color", option.get("color")) != option.get("color"):
            raise invalid(f"{item.type.replace('_', '-').capitalize()} option color doesn't match existing")
        if option not in chosen:
            chosen.append(option)
    shown = [options.to_reply(option) for option in chosen]
    value = shown if item.type == "multi_select" else next(iter(shown), None)
    return value, {**config, item.type: {**declared, "options": known}}


def _new_option(context: AppContext, sent: Object, *, closed: bool) -> Object:
    if closed:
        # The stray quotation mark is Notion's: public reports of this error contain it.
        name = sent.get("name", sent.get("id"))
        raise invalid(f'Invalid status option. Status option "{name}" does not exist".')
    if "name" not in sent:
        raise invalid(f"Could not find select option with id: {sent['id']}")
    return options.new(context, sent)


def to_reply(context: AppContext, page: Object, schema: Schema) -> Object:
    """Return a page's properties as the API shows them, one for each property that its data source declares.

    Values of a renamed property remain (they are found by id), an added property is empty, a removed one is gone.
    """
    stored: Object = page.get("properties") or {}
    by_id = {value["id"]: value for value in stored.values() if isinstance(value, dict) and "id" in value}
    return {
        name: _shown(context, page, config, by_id.get(config.get("id"), stored.get(name)))
        for name, config in schema.items()
    }


def _shown(context: AppContext, page: Object, config: Object, stored: Object | None) -> Object:
    kind = str(config["type"])
    same = isinstance(stored, dict) and stored.get("id", config.get("id")) == config.get("id") and kind in stored
    value = stored[kind] if stored is not None and same else empty(config)
    if kind in ("created_time", "last_edited_time", "created_by", "last_edited_by"):
        value = page.get(kind, value)
    if kind in ("created_by", "last_edited_by", "people"):
        value = [_user(context, one) for one in value] if isinstance(value, list) else _user(context, value)
    if kind in options.OPTION_TYPES:
        value = _still_there(config, kind, value)
    view: Object = {"id": config["id"], "type": kind, kind: value}
    return {**view, "has_more": False} if kind == "relation" else view


def _user(context: AppContext, reference: Any) -> Any:
    user = context.get("user", reference["id"]) if isinstance(reference, dict) and reference.get("id") else None
    return user or reference


def _still_there(config: Object, kind: str, value: Any) -> Any:
    """Return a chosen option as its property now defines it, or no option if the property lost it."""
    declared = config.get(kind)
    if not isinstance(declared, dict) or "options" not in declared or value is None:
        return value
    by_id = {option.get("id"): options.to_reply(option) for option in declared["options"]}
    if kind == "multi_select":
        return [by_id[option.get("id")] for option in value if option.get("id") in by_id]
    return by_id.get(value.get("id"))


def empty(config: Object) -> Any:
    """Return the value of a property that was never written."""
    kind = config["type"]
    match kind:
        case "title" | "rich_text" | "multi_select" | "people" | "files" | "relation":
            return []
        case "checkbox":
            return False
        case "status":
            declared = (config.get("status") or {}).get("options") or []
            return options.to_reply(declared[0]) if declared else None
        case "unique_id":
            return {"prefix": (config.get("unique_id") or {}).get("prefix"), "number": None}
        case "formula":
            return {"type": "string", "string": None}
        case "rollup":
            function = (config.get("rollup") or {}).get("function", "show_original")
            return {"type": "array", "array": [], "function": function}
        case "button":
            return {}
        case _:
            return None
