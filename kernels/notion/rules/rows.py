"""POST /v1/pages below a data source: new rows."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, data_sources, ids, pages, property_values


def create(context: AppContext, data_source_id: Any, properties: Any) -> Object:
    """Create a page and return it as the API shows it.

    Raises:
        NotionError: The body is invalid, or the data source is unknown or lacks a property.
    """
    access.check(context, "insert_content")
    identifier = ids.need_uuid(data_source_id, "body.parent.data_source_id")
    written = property_values.parse(context, properties, "body.properties")
    source = data_sources.find(context, identifier)
    return pages.to_reply(context, pages.create_row(context, source, written))
