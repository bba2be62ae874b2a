"""POST /v1/data_sources/{id}/query: the matching pages of a data source, in order."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, data_sources, filters, ids, pages, paging, sorts
from soundstage.kernels.types import Arguments


def query(context: AppContext, arguments: Arguments, wanted: Object | None, order: list[Object]) -> Object:
    """Return a list of pages; `wanted` and `order` are the API's `filter` and `sorts`.

    Raises:
        NotionError: The body is invalid, or the data source is unknown or lacks a property.
    """
    access.check(context, "read_content")
    identifier = ids.path_id(arguments["data_source_id"], "data_source_id", last=False)
    if wanted is not None:
        filters.check(wanted)
    sorts.check(order)
    window = paging.window(arguments, "body")
    source = data_sources.find(context, identifier)
    schema = source.get("properties") or {}
    fits = filters.fits(context, schema, wanted) if wanted is not None else None
    keys = sorts.resolve(schema, order)
    rows = [
        pages.to_reply(context, page)
        for page in context.list("page", {"parent_data_source_id": identifier})
        if not page.get("in_trash")
    ]
    matches = sorts.apply([row for row in rows if fits is None or fits(row)], keys)
    return paging.listing(context, "page_or_data_source", matches, window, lambda page: page)
