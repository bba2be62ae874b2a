"""A data source as a table: its properties as columns, its pages as rows."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import rich_text
from soundstage.servers.notion.view.values import value_text

_MOST_ROWS = 100
_MOST_COLUMNS = 12


def table(context: AppContext, source: Object) -> dict[str, Any]:
    """Return the table; rows are (page, cells), with the title's cell first."""
    schema = source.get("properties") if isinstance(source.get("properties"), dict) else {}
    declared = [(str(name), config.get("type")) for name, config in (schema or {}).items() if isinstance(config, dict)]
    names = [n for n, kind in declared if kind == "title"] + [n for n, kind in declared if kind != "title"]
    columns = names[:_MOST_COLUMNS]
    where = {"parent_data_source_id": source["id"]}
    pages = [p for p in context.list("page", where, limit=_MOST_ROWS) if not p.get("in_trash")]
    return {
        "id": source["id"],
        "title": rich_text.plain(source.get("title")) or "Untitled",
        "columns": columns,
        "rows": [(page, [_cell(context, page, name) for name in columns]) for page in pages],
        "total": context.count("page", where),
    }


def _cell(context: AppContext, page: Object, name: str) -> str:
    value = (page.get("properties") or {}).get(name)
    return value_text(context, value) if isinstance(value, dict) else ""
