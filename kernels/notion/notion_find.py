"""The `notion_find` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.compaction import page_title
from soundstage.kernels.notion.rules.markdown_text import plain
from soundstage.kernels.notion.rules.search import search
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Find pages and data sources by title, each with a suggested next tool."""
    wanted = {"property": "object", "value": arguments["object_type"]} if "object_type" in arguments else None
    response = search(context, arguments, wanted, None)
    return {
        "object": "notion_find_results",
        **({"query": arguments["query"]} if "query" in arguments else {}),
        "results": [_short(item) for item in response["results"]],
        "next_cursor": response["next_cursor"],
        "has_more": response["has_more"],
    }


def _short(item: Object) -> Object:
    is_page = item["object"] == "page"
    title = page_title(item) or "Untitled page" if is_page else plain(item["title"]) or "Untitled data source"
    return {
        "object": item["object"],
        "id": item["id"],
        "title": title,
        **{name: item[name] for name in ("url", "parent") if name in item},
        "suggested_next_tool": "notion_retrieve_page" if is_page else "notion_inspect_data_source",
    }
