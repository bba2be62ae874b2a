"""The `notion_create_database` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, data_sources, ids, media, pages, property_schema, rich_text, trash
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.notion.rules.validation import choice, member, only, refuse
from soundstage.kernels.types import Arguments

_NO_OWNER = (
    "Internal integrations aren't owned by a single user, so creating workspace-level private pages is not supported."
)


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Create a database with its first data source, at the end of a page."""
    access.check(context, "insert_content")
    page_id = _parse_parent(arguments["parent"])
    only(arguments["initial_data_source"], ("properties",), "body.initial_data_source")
    schema = property_schema.parse_new(
        context, arguments["initial_data_source"]["properties"], "body.initial_data_source.properties"
    )
    title = rich_text.parse(context, arguments.get("title", []), "body.title")
    described: Object = {
        "description": rich_text.parse(context, arguments.get("description", []), "body.description"),
        "is_inline": arguments.get("is_inline", False),
        "icon": media.icon(context, arguments.get("icon"), "body.icon"),
        "cover": media.cover(context, arguments.get("cover"), "body.cover"),
    }
    page = pages.find(context, page_id)
    trash.need_editable(context, page)
    database = data_sources.create_database(context, page, title, described)
    data_sources.create(context, database, title, schema)
    made = data_sources.find_database(context, database["id"])
    return of_object(context, arguments, data_sources.database_to_reply(made))


def _parse_parent(parent: dict[str, Any]) -> str:
    kind = choice(member(parent, "type", "body.parent"), ("page_id", "workspace"), "body.parent.type", optional=False)
    only(parent, ("type", kind), "body.parent")
    value = member(parent, kind, "body.parent")
    if kind == "page_id":
        return ids.need_uuid(value, "body.parent.page_id")
    if value is not True:
        refuse("body.parent.workspace", "`true`", value)
    raise invalid(_NO_OWNER)
