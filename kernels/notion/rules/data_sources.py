"""Data sources and the databases that contain them: lookup, creation, update and representation."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, children, ids, property_schema, rich_text, times, trash
from soundstage.kernels.notion.rules.children import Node
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.pages import page_url
from soundstage.kernels.notion.rules.property_schema import Schema
from soundstage.kernels.notion.rules.records import complete
from soundstage.kernels.notion.rules.validation import json_object, string


def find(context: AppContext, identifier: str) -> Object:
    """Return the data source with an id.

    Raises:
        NotionError: 404 for an unknown one; a database's id is not its data source's.
    """
    source = context.get("data_source", identifier)
    if source is None:
        raise access.not_found(context, "data_source", identifier)
    return source


def retrieve(context: AppContext, raw: str) -> Object:
    """Perform GET /v1/data_sources/{id}."""
    access.check(context, "read_content")
    return to_reply(find(context, ids.path_id(raw, "data_source_id")))


def find_database(context: AppContext, identifier: str) -> Object:
    """Return the database with an id.

    Raises:
        NotionError: 404 for an unknown one, 400 for a page's id.
    """
    database = context.get("database", identifier)
    if database is not None:
        return database
    if context.get("page", identifier) is not None:
        raise invalid(
            f"Provided database_id {identifier} is a page, not a database. Use the pages API instead, "
            "or pass the ID of the database itself."
        )
    raise access.not_found(context, "database", identifier)


def to_reply(source: Object) -> Object:
    """Return a data source as the API shows it."""
    defaults: Object = {"title": [], "description": [], "icon": None, "cover": None, "is_inline": False}
    return complete("data_source", source, {**defaults, "in_trash": False, "properties": {}, "public_url": None})


def database_to_reply(database: Object) -> Object:
    """Return a database as the API shows it."""
    texts: Object = {"title": [], "description": [], "data_sources": [], "icon": None, "cover": None}
    flags: Object = {"is_inline": False, "in_trash": False, "is_locked": False, "public_url": None}
    record = {name: value for name, value in database.items() if name != "after"}
    return complete("database", record, {**texts, **flags})


def create_database(context: AppContext, page: Object, title: list[Object], described: Object) -> Object:
    """Create a database without data sources at the end of a page.

    `described` holds its description, is_inline, icon and cover.
    """
    identifier, now = context.new_id("database"), times.this_minute(context)
    siblings = children.of(context, Node("page", page))
    return context.create(
        "database",
        {
            "object": "database",
            "id": identifier,
            "title": title,
            "description": described["description"],
            "parent": {"type": "page_id", "page_id": page["id"]},
            "is_inline": described["is_inline"],
            "in_trash": False,
            "is_locked": False,
            "created_time": now,
            "last_edited_time": now,
            "data_sources": [],
            "icon": described["icon"],
            "cover": described["cover"],
            "url": page_url(identifier),
            "public_url": None,
            "after": siblings[-1].id if siblings else page["id"],
        },
    )


def create(context: AppContext, database: Object, title: list[Object], schema: Schema) -> Object:
    """Create a data source in a database, which lists it from then on."""
    now, by = times.this_minute(context), access.bot_reference(context)
    source = context.create(
        "data_source",
        {
            "object": "data_source",
            "id": context.new_id("data_source"),
            "parent": {"type": "database_id", "database_id": database["id"]},
            "database_parent": database.get("parent"),
            "created_time": now,
            "last_edited_time": now,
            "created_by": by,
            "last_edited_by": by,
            "title": title,
            "description": [],
            "icon": None,
            "cover": None,
            "is_inline": database.get("is_inline", False),
            "in_trash": False,
            "properties": schema,
            "url": database.get("url", page_url(database["id"])),
            "public_url": None,
        },
    )
    listed = [*(database.get("data_sources") or []), {"id": source["id"], "name": rich_text.plain(title)}]
    context.update("database", database["id"], {"data_sources": listed})
    return source


def update(context: AppContext, source: Object, changes: Object) -> Object:
    """Change a data source's title, description or properties.

    Raises:
        NotionError: The data source or one of its ancestors is in the trash.
    """
    trash.need_editable(context, source)
    edited: Object = {
        "last_edited_time": times.this_minute(context),
        "last_edited_by": access.bot_reference(context),
    }
    if "title" in changes:
        _rename_in_database(context, source, rich_text.plain(changes["title"]))
    return context.update("data_source", source["id"], {**edited, **changes})


def updated_schema(context: AppContext, schema: Schema, value: Any, path: str) -> Schema:
    """Return a schema after an update.

    Null removes a property, `name` alone renames it, and a configuration changes or adds it. A renamed property moves
    to the end (recorded reply).

    Raises:
        NotionError: In the words of the API's validation, or for a change that is never allowed.
    """
    after = dict(schema)
    for key, change in json_object(value, path).items():
        name = property_schema.find(after, key)
        here = f"{path}.{key}"
        if change is None:
            _remove(after, key, name)
            continue
        sent = json_object(change, here, " or `null`")
        if set(sent) == {"name"}:
            if name is None:
                raise invalid(f"{key} is not a property that exists.")
            config = after[name]
        else:
            config = _configured(context, after, key, name, sent, here)
        renamed = string(sent.get("name", config["name"]), f"{here}.name")
        if renamed != (name or key) and renamed in after:
            raise invalid(f"Cannot rename property to {renamed}: a property with that name exists already.")
        if name is not None and renamed != name:
            del after[name]
        after[renamed] = {**config, "name": renamed}
    return after


def _remove(schema: Schema, key: str, name: str | None) -> None:
    if name is None:
        raise invalid(f"{key} is not a property that exists.")
    if schema[name]["type"] == "title":
        raise invalid("Cannot delete the title property.")
    del schema[name]


def _configured(context: AppContext, schema: Schema, key: str, name: str | None, sent: Object, path: str) -> Object:
    known = schema[name] if name is not None else None
    kind, config = property_schema.parse_config(context, sent, path, named=True, known=known)
    if known is None:
        if kind == "title":
            raise invalid("Cannot create a second title property.")
        return property_schema.new_property(context, schema, key, kind, config, sent.get("description"))
    if "title" in (kind, known["type"]) and kind != known["type"]:
        raise invalid("Cannot change the type of the title property.")
    description = sent.get("description", known.get("description"))
    return {"id": known["id"], "name": known["name"], "description": description, "type": kind, kind: config}


def _rename_in_database(context: AppContext, source: Object, name: str) -> None:
    database_id = (source.get("parent") or {}).get("database_id")
    database = context.get("database", database_id) if database_id else None
    if database is not None:
        listed = database.get("data_sources") or []
        renamed = [{**entry, "name": name} if entry.get("id") == source["id"] else entry for entry in listed]
        context.update("database", database["id"], {"data_sources": renamed})
