"""The `notion_create_data_source` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, data_sources, ids, property_schema, rich_text, trash
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.notion.rules.validation import choice, member, only
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Add a data source to a database."""
    access.check(context, "insert_content")
    parent = arguments["parent"]
    database_id = ids.need_uuid(member(parent, "database_id", "body.parent"), "body.parent.database_id")
    only(parent, ("type", "database_id"), "body.parent")
    if "type" in parent:
        choice(parent["type"], ("database_id",), "body.parent.type")
    schema = property_schema.parse_new(context, arguments["properties"], "body.properties")
    title = rich_text.parse(context, arguments.get("title", []), "body.title")
    database = data_sources.find_database(context, database_id)
    trash.need_editable(context, database)
    source = data_sources.create(context, database, title, schema)
    return of_object(context, arguments, data_sources.to_reply(source))
