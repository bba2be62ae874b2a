"""Notion as people see it: the pages as a tree, one page with its blocks, databases as tables, and the comments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import rich_text
from soundstage.kernels.notion.rules.children import Node
from soundstage.servers.notion.view.blocks import Reader
from soundstage.servers.notion.view.tables import table
from soundstage.servers.view import View

_MOST_PAGES = 300


def show(context: AppContext, query: Mapping[str, str], now: datetime) -> View:
    """`page` or `database` is open."""
    tree = _tree(context)
    data: dict[str, Any] = {"tree": tree, "page": None, "database": None}
    database = context.get("database", query["database"]) if query.get("database") else None
    if database is not None:
        shown = {
            "database": database,
            "title": rich_text.plain(database.get("title")),
            "tables": _tables(context, database),
        }
        return View("page.html.jinja", {**data, **shown})
    first = next((n["id"] for n in tree if n["kind"] == "page"), "")
    page = context.get("page", query.get("page") or first)
    if page is not None:
        reader = Reader(context)
        comments = context.list("comment", {"parent_page_id": page["id"]}, limit=100)
        data |= {
            "page": page,
            "title": rich_text.title(page) or "Untitled",
            "icon": _icon(page),
            "content": reader.below(Node("page", page)),
            "properties": reader.properties(page),
            "comments": [
                (reader.person(c.get("created_by")), rich_text.plain(c.get("rich_text")), c) for c in comments
            ],
            "unread": reader.left_out,
        }
    return View("page.html.jinja", data)


def _tables(context: AppContext, database: Object) -> list[dict[str, Any]]:
    sources = context.list("data_source", {"parent_database_id": database["id"]})
    return [table(context, source) for source in sources if not source.get("in_trash")]


def _tree(context: AppContext) -> list[dict[str, Any]]:
    """Pages and databases below each other, without the rows of databases."""
    pages = [p for p in context.list("page", limit=3000) if not p.get("in_trash")]
    databases = [d for d in context.list("database", limit=500) if not d.get("in_trash")]
    below: dict[str, list[dict[str, Any]]] = {}
    for kind, records in (("page", pages), ("database", databases)):
        for record in records:
            parent = record.get("parent") if isinstance(record.get("parent"), dict) else {}
            if kind == "page" and (parent or {}).get("data_source_id"):
                continue
            title = rich_text.title(record) if kind == "page" else rich_text.plain(record.get("title"))
            node = {"id": record["id"], "kind": kind, "title": title or "Untitled", "icon": _icon(record)}
            below.setdefault(str((parent or {}).get("page_id") or ""), []).append(node)
    known = {p["id"] for p in pages}
    found: list[dict[str, Any]] = []
    roots = [n for above, nodes in below.items() if above not in known for n in nodes]
    stack = [(0, n) for n in reversed(roots)]
    seen: set[str] = set()
    while stack and len(found) < _MOST_PAGES:
        depth, node = stack.pop()
        if node["id"] in seen:
            continue
        seen.add(node["id"])
        found.append({**node, "depth": min(depth, 4)})
        stack += [(depth + 1, n) for n in reversed(below.get(node["id"], []))]
    return found


def _icon(record: Object) -> str:
    icon = record.get("icon")
    return str(icon.get("emoji") or "") if isinstance(icon, dict) else ""
