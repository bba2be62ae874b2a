"""The properties that a data source declares: validation and stored form.

Sources: https://developers.notion.com/reference/property-object and the type definitions of
https://github.com/makenotion/notion-sdk-js.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, ids, options
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import (
    OR_NULL,
    choice,
    json_object,
    member,
    need_one,
    only,
    string,
)

# In the order of the API's list for a property without a type.
PROPERTY_TYPES = (
    "number", "formula", "select", "multi_select", "status", "relation", "rollup", "unique_id", "title", "rich_text",
    "url", "people", "files", "email", "phone_number", "date", "checkbox", "created_by", "created_time",
    "last_edited_by", "last_edited_time", "button", "location", "verification", "last_visited_time", "place",
)  # fmt: skip
_ROLLUP_FUNCTIONS = (
    "count", "count_values", "empty", "not_empty", "unique", "show_unique", "percent_empty", "percent_not_empty",
    "sum", "average", "median", "min", "max", "range", "earliest_date", "latest_date", "date_range", "checked",
    "unchecked", "percent_checked", "percent_unchecked", "count_per_group", "percent_per_group", "show_original",
)  # fmt: skip
_STATUS_DEFAULTS = (("Not started", "default"), ("In progress", "blue"), ("Done", "green"))
_STATUS_GROUPS = (("To-do", "gray"), ("In progress", "blue"), ("Complete", "green"))

Schema = dict[str, Object]
"""Property name → {id, name, description, type, <type>: configuration}."""


def find(schema: Schema, key: str) -> str | None:
    """Return the name of the property with a name or id."""
    if key in schema:
        return key
    wanted = unquote(key)
    return next((name for name, config in schema.items() if unquote(str(config.get("id"))) == wanted), None)


def parse_new(context: AppContext, value: Any, path: str) -> Schema:
    """Return the properties of a new data source.

    Raises:
        NotionError: In the words of the API's validation, or if there is not exactly one title.
    """
    sent = json_object(value, path)
    kinds = {name: parse_config(context, config, f"{path}.{name}") for name, config in sent.items()}
    titles = [name for name, (kind, _) in kinds.items() if kind == "title"]
    if not titles:
        raise invalid("Title is not provided")
    if len(titles) > 1:
        raise invalid(f"Only one title property is allowed, instead were {len(titles)}: {', '.join(titles)}")
    schema: Schema = {}
    for name, (kind, config) in kinds.items():
        schema[name] = new_property(context, schema, name, kind, config, sent[name].get("description"))
    return schema


def parse_config(
    context: AppContext, value: Any, path: str, *, named: bool = False, known: Object | None = None
) -> tuple[str, Object]:
    """Return one property's type and configuration.

    `known` is the existing property; `named` allows renaming.

    Raises:
        NotionError: In the words of the API's validation.
    """
    sent = json_object(value, path)
    kind = next((kind for kind in PROPERTY_TYPES if kind in sent), None)
    if kind is None:
        need_one(path, PROPERTY_TYPES)
    only(sent, ("type", "description", kind, "name") if named else ("type", "description", kind), path)
    if "type" in sent:
        choice(sent["type"], (kind,), f"{path}.type")
    if sent.get("description") is not None:
        string(sent["description"], f"{path}.description", OR_NULL)
    same = known if known is not None and known.get("type") == kind else None
    config = json_object(sent[kind], f"{path}.{kind}")
    return kind, _configuration(context, kind, config, f"{path}.{kind}", (same or {}).get(kind))


def new_property(
    context: AppContext, schema: Schema, name: str, kind: str, config: Object, description: str | None
) -> Object:
    """Return a new property in its stored form."""
    taken = {known.get("id") for known in schema.values()}
    identifier = "title" if kind == "title" else _property_id(context)
    while identifier in taken:
        identifier = _property_id(context)
    return {"id": identifier, "name": name, "description": description, "type": kind, kind: config}


def _property_id(context: AppContext) -> str:
    return context.new_id("property", "%3A{lower:3}")


def _configuration(context: AppContext, kind: str, sent: Object, path: str, known: Any) -> Object:
    match kind:
        case "number":
            only(sent, ("format",), path)
            before = known.get("format", "number") if isinstance(known, dict) else "number"
            return {"format": string(sent.get("format", before), f"{path}.format")}
        case "select" | "multi_select":
            only(sent, ("options",), path)
            return {"options": _options(context, sent, path, known)}
        case "status":
            return _status(context, sent, path, known)
        case "formula":
            only(sent, ("expression",), path)
            return {"expression": string(sent.get("expression", ""), f"{path}.expression")}
        case "relation":
            return _relation(context, sent, path)
        case "rollup":
            return _rollup(sent, path)
        case "unique_id":
            only(sent, ("prefix",), path)
            prefix = sent.get("prefix")
            return {"prefix": None if prefix is None else string(prefix, f"{path}.prefix", OR_NULL)}
        case _:
            only(sent, (), path)
            return {}


def _options(context: AppContext, sent: Object, path: str, known: Any) -> list[Object]:
    before = known.get("options", []) if isinstance(known, dict) else []
    if "options" not in sent:
        return list(before)
    return options.replace_options(context, before, options.parse_list(sent["options"], f"{path}.options"))


def _status(context: AppContext, sent: Object, path: str, known: Any) -> Object:
    only(sent, ("options",), path)
    if "options" not in sent and known is None:
        chosen = [options.new(context, {"name": name, "color": color}) for name, color in _STATUS_DEFAULTS]
        members = [[option["id"]] for option in chosen]
    else:
        chosen = _options(context, sent, path, known)
        members = [[option["id"] for option in chosen], [], []]
    if isinstance(known, dict) and known.get("groups"):
        remaining = {option["id"] for option in chosen}
        grouped = {i for group in known["groups"] for i in group.get("option_ids", [])}
        fresh = [option["id"] for option in chosen if option["id"] not in grouped]
        groups = [
            {
                **group,
                "option_ids": [i for i in group.get("option_ids", []) if i in remaining] + (fresh if n == 0 else []),
            }
            for n, group in enumerate(known["groups"])
        ]
    else:
        groups = [
            {"id": context.new_id("group", "{uuid4}"), "name": name, "color": color, "option_ids": option_ids}
            for (name, color), option_ids in zip(_STATUS_GROUPS, members, strict=True)
        ]
    return {"options": chosen, "groups": groups}


def _relation(context: AppContext, sent: Object, path: str) -> Object:
    identifier = ids.need_uuid(member(sent, "data_source_id", path), f"{path}.data_source_id")
    kind = next((kind for kind in ("single_property", "dual_property") if kind in sent), None)
    if kind is None:
        need_one(path, ("single_property", "dual_property"))
    only(sent, ("data_source_id", "type", kind), path)
    details = json_object(sent[kind], f"{path}.{kind}")
    source = context.get("data_source", identifier)
    if source is None:
        raise access.not_found(context, "data_source", identifier)
    database_id = (source.get("parent") or {}).get("database_id")
    return {"database_id": database_id, "data_source_id": identifier, "type": kind, kind: details}


def _rollup(sent: Object, path: str) -> Object:
    choice(member(sent, "function", path), _ROLLUP_FUNCTIONS, f"{path}.function", optional=False)
    for end in ("relation_property", "rollup_property"):
        if f"{end}_name" not in sent and f"{end}_id" not in sent:
            need_one(path, (f"{end}_name", f"{end}_id"))
    names = ("relation_property_name", "relation_property_id", "rollup_property_name", "rollup_property_id")
    only(sent, ("function", *names), path)
    return {name: string(sent[name], f"{path}.{name}") if name != "function" else sent[name] for name in sent}
