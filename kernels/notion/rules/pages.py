"""Pages: lookup, representation, and writing of rows in data sources."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, property_values, rich_text, times, trash
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.property_values import SentValue
from soundstage.kernels.notion.rules.records import complete


def find(context: AppContext, identifier: str) -> Object:
    """Return the page with an id.

    Raises:
        NotionError: 404 for an unknown one, 400 for a database's id.
    """
    page = context.get("page", identifier)
    if page is not None:
        return page
    if context.get("database", identifier) is not None:
        raise invalid(f"Provided ID {identifier} is a database, not a page. Use the retrieve database API instead.")
    raise access.not_found(context, "page", identifier)


def schema_of(context: AppContext, page: Object) -> tuple[Schema | None, str | None]:
    """Return the schema and the id of a page's data source.

    A page outside a data source has a fixed schema and no id. A row whose data source is missing in the state has
    neither.
    """
    parent = page.get("parent") or {}
    source_id = parent.get("data_source_id")
    if source_id is None and "database_id" not in parent:
        return property_values.PLAIN_PAGE, None
    source = context.get("data_source", source_id)
    return (None, None) if source is None else (source.get("properties") or {}, source_id)


def to_reply(context: AppContext, page: Object) -> Object:
    """Return a page as the API shows it."""
    schema, _ = schema_of(context, page)
    if schema is None:
        properties = {
            name: page["properties"][name] for name in property_values.schema_by(page.get("properties") or {})
        }
    else:
        properties = property_values.to_reply(context, page, schema)
    defaults: Object = {"cover": None, "icon": None, "in_trash": False, "is_locked": False, "public_url": None}
    return complete("page", {**page, "properties": properties}, defaults)


def write(context: AppContext, page: Object, written: list[SentValue]) -> Object:
    """Change a page's properties.

    Raises:
        NotionError: The page is in the trash, or a property is unknown or gets an invalid value.
    """
    trash.need_editable(context, page)
    schema, source_id = schema_of(context, page)
    stored: Object = page.get("properties") or {}
    known = property_values.schema_by(stored) if schema is None else schema
    properties, extended = property_values.apply(context, known, stored, written)
    if source_id is not None and extended != schema:
        context.update("data_source", source_id, {"properties": extended})
    changes = {
        "last_edited_time": times.this_minute(context),
        "last_edited_by": access.bot_reference(context),
        "properties": properties,
    }
    return context.update("page", page["id"], changes)


def create_row(context: AppContext, source: Object, written: list[SentValue]) -> Object:
    """Create a page in a data source.

    Raises:
        NotionError: The data source is in the trash, or a property is unknown or gets an invalid value.
    """
    trash.need_editable(context, source)
    schema: Schema = source.get("properties") or {}
    empty: Object = {
        name: {"id": config["id"], "type": config["type"], config["type"]: property_values.empty(config)}
        for name, config in schema.items()
    }
    properties, extended = property_values.apply(context, schema, empty, written)
    if extended != schema:
        context.update("data_source", source["id"], {"properties": extended})
    for value in properties.values():
        if value["type"] == "unique_id":
            value["unique_id"]["number"] = _next_number(context, source["id"], value["id"])
    identifier = context.new_id("page")
    now, by = times.this_minute(context), access.bot_reference(context)
    database_id = (source.get("parent") or {}).get("database_id")
    page: Object = {
        "object": "page",
        "id": identifier,
        "created_time": now,
        "last_edited_time": now,
        "created_by": by,
        "last_edited_by": by,
        "cover": None,
        "icon": None,
        "parent": {"type": "data_source_id", "data_source_id": source["id"], "database_id": database_id},
        "in_trash": False,
        "is_locked": False,
        "properties": properties,
    }
    url = page_url(identifier, rich_text.title(page))
    return context.create("page", {**page, "url": url, "public_url": None})


def page_url(identifier: str, title: str = "") -> str:
    """Return the address of a page: its title's ASCII words, then its id without dashes."""
    words = re.findall(r"[A-Za-z0-9]+", title)
    return "https://www.notion.so/" + "-".join((*words, identifier.replace("-", "")))


def _next_number(context: AppContext, source_id: str, property_id: str) -> int:
    rows = context.list("page", {"parent_data_source_id": source_id})
    values = [value for row in rows for value in (row.get("properties") or {}).values()]
    taken = [v["unique_id"]["number"] or 0 for v in values if v.get("id") == property_id and v.get("unique_id")]
    return max(taken, default=0) + 1
