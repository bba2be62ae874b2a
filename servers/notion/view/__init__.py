"""Notion as people see it: the tree of pages, one page with its blocks, databases as tables, and comments."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import parse_moment
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import rich_text
from soundstage.kernels.notion.rules.children import Node
from soundstage.servers.notion.view.blocks import Reader
from soundstage.servers.notion.view.tables import table
from soundstage.servers.view import Query, View

_MOST_PAGES = 300
_MOST_COMMENTS = 200
_MOST_READ = 3000
_DEEPEST = 100


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render an open `page` or `database`."""
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
        content = reader.below(Node("page", page))
        data |= {
            "page": page,
            "title": rich_text.title(page) or "Untitled",
            "icon": _icon(page),
            "content": content,
            "properties": reader.properties(page),
            "comments": [_comment(reader, c) for c in _comments(context, page, reader)],
            "unread": reader.left_out,
        }
    return View("page.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a page, block or comment, or the database of a database or data source."""
    match entity:
        case "page":
            return {"page": str(value.get("id"))}
        case "database":
            return {"database": str(value.get("id"))}
        case "data_source":
            return {"database": str(_parent(value).get("database_id"))}
        case "block" | "comment":
            page = _page_above(context, value)
            return None if page is None else {"page": page}
        case _:
            return None


def _page_above(context: AppContext, value: Object) -> str | None:
    """Return the page that contains a block or comment."""
    for _ in range(_DEEPEST):
        parent = _parent(value)
        if parent.get("page_id"):
            return str(parent["page_id"])
        above = context.get("block", str(parent.get("block_id")))
        if above is None:
            return None
        value = above
    return None


def _parent(value: Object) -> Object:
    parent = value.get("parent")
    return parent if isinstance(parent, dict) else {}


def _comments(context: AppContext, page: Object, reader: Reader) -> list[Object]:
    """Return the comments on a page and its blocks."""
    above = {page["id"], *reader.read}
    every = context.list("comment", limit=_MOST_READ)
    return [c for c in every if _parent(c).get("page_id", _parent(c).get("block_id")) in above][:_MOST_COMMENTS]


def _comment(reader: Reader, comment: Object) -> dict[str, Any]:
    try:
        at = parse_moment(str(comment.get("created_time"))).astimezone(UTC)
    except (ValueError, OverflowError):
        at = None
    by, text = reader.person(comment.get("created_by")), rich_text.plain(comment.get("rich_text"))
    return {"id": comment["id"], "by": by, "text": text, "at": at}


def _tables(context: AppContext, database: Object) -> list[dict[str, Any]]:
    sources = context.list("data_source", {"parent_database_id": database["id"]})
    return [table(context, source) for source in sources if not source.get("in_trash")]


def _tree(context: AppContext) -> list[dict[str, Any]]:
    """Return pages and databases as a tree, without the rows of databases."""
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
    nodes_in_order: list[dict[str, Any]] = []
    roots = [n for above, nodes in below.items() if above not in known for n in nodes]
    stack = [(0, n) for n in reversed(roots)]
    seen: set[str] = set()
    while stack and len(nodes_in_order) < _MOST_PAGES:
        depth, node = stack.pop()
        if node["id"] in seen:
            continue
        seen.add(node["id"])
        nodes_in_order.append({**node, "depth": min(depth, 4)})
        stack += [(depth + 1, n) for n in reversed(below.get(node["id"], []))]
    return nodes_in_order


def _icon(record: Object) -> str:
    icon = record.get("icon")
    return str(icon.get("emoji") or "") if isinstance(icon, dict) else ""
