"""Markdown that the MCP server writes for pages, databases, users, comments and lists."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.compaction import page_title
from soundstage.kernels.notion.rules.markdown_blocks import with_id
from soundstage.kernels.notion.rules.markdown_text import (
    file_url,
    json_block,
    json_text,
    link_label,
    metadata,
    parent,
    plain,
    record,
    rich_text,
    sections,
    table,
    text_of,
)

_LIST_TITLES = {
    "page": "Search Results (Pages)",
    "database": "Search Results (Databases)",
    "data_source": "Search Results (Data Sources)",
    "block": "Block Contents",
    "user": "Users",
    "comment": "Comments",
}
_DETAILS = {
    "title": "Title property", "rich_text": "Rich text", "checkbox": "Boolean", "date": "Date or date range",
    "people": "People", "files": "Files",
}  # fmt: skip
_NAMED_ONLY = (
    "url", "email", "phone_number", "created_by", "created_time", "last_edited_by", "last_edited_time", "unique_id",
    "verification",
)  # fmt: skip


def of_response(response: Object) -> str:
    """Return an API response as Markdown."""
    match response["object"]:
        case "page":
            return _page(response)
        case "database" | "data_source":
            return _database(response)
        case "list":
            return _list(response)
        case _:
            return _listed(response)


def _page(page: Object) -> str:
    rows = [(name, value.get("id"), value.get("type"), _value(value)) for name, value in page["properties"].items()]
    hint = (
        "> Page content is not included in a page metadata response.\n"
        "> Use `notion_read_page` for AI-friendly Markdown with stable block IDs.\n"
        f"> Block ID: `{page['id']}`"
    )
    facts = {
        "id": page["id"],
        "object": "page",
        "url": page.get("url"),
        "public_url": page.get("public_url"),
        "parent": parent(page.get("parent")),
        "in_trash": page.get("in_trash"),
        "last_edited_time": page.get("last_edited_time"),
    }
    return sections(
        f"# {page_title(page) or 'Untitled page'}",
        metadata(facts),
        sections("## Properties", table(("Property", "ID", "Type", "Value"), rows)),
        hint,
        _view_link(page),
    )


def _database(database: Object) -> str:
    label = "Data Source" if database["object"] == "data_source" else "Database"
    sources = database.get("data_sources") if label == "Database" else None
    facts = {
        "id": database["id"],
        "object": database["object"],
        "url": database.get("url"),
        "parent": parent(database.get("parent")),
        "in_trash": database.get("in_trash"),
        "data_sources": ", ".join(f"{one.get('name') or 'Untitled'} ({one['id']})" for one in sources or []),
    }
    properties = record(database.get("properties")).items()
    rows = [
        (value.get("name") or name, value.get("id"), value.get("type"), _details(value)) for name, value in properties
    ]
    return sections(
        f"# {plain(database.get('title')) or 'Untitled'} ({label})",
        metadata(facts),
        rich_text(database.get("description")),
        sections("## Properties", table(("Property Name", "ID", "Type", "Details"), rows)),
        _view_link(database),
    )


def _view_link(item: Object) -> str:
    return f"[View in Notion]({item['url']})" if item.get("url") else ""


def _list(response: Object) -> str:
    results = response["results"]
    if not results:
        return "# Results\n\nNo results."
    more = ""
    if response["has_more"]:
        cursor = response["next_cursor"]
        more = "> More results are available." + (f"\n> Next cursor: `{cursor}`" if cursor else "")
    title = _LIST_TITLES.get(results[0]["object"], "Results List")
    return sections(f"# {title}", "\n\n---\n\n".join(_listed(item) for item in results), more)


def _listed(item: Object) -> str:
    match item["object"]:
        case "page" | "database" | "data_source":
            return _heading(item)
        case "block":
            return with_id(item)
        case "user":
            facts = {"id": item["id"], "object": "user", "type": item.get("type")}
            facts |= {"email": record(item.get("person")).get("email"), "avatar_url": item.get("avatar_url")}
            return sections(f"# {item.get('name') or 'Notion User'}", metadata(facts))
        case "comment":
            facts = {"id": item["id"], "object": "comment", "discussion_id": item.get("discussion_id")}
            facts |= {"parent": parent(item.get("parent")), "created_by": record(item.get("created_by")).get("id")}
            facts |= {"created_time": item.get("created_time"), "last_edited_time": item.get("last_edited_time")}
            return sections(f"# Comment {item['id']}", metadata(facts), rich_text(item.get("rich_text")))
        case _:
            return json_block(item)


def _heading(item: Object) -> str:
    is_page = item["object"] == "page"
    title = page_title(item) or "Untitled page" if is_page else plain(item.get("title")) or "Untitled"
    facts = {
        "id": item["id"],
        "object": item["object"],
        "parent": parent(item.get("parent")),
        "in_trash": item.get("in_trash"),
        "last_edited_time": item.get("last_edited_time") if is_page else None,
    }
    return sections(f"## [{title}]({item['url']})" if item.get("url") else f"## {title}", metadata(facts))


def _value(value: Object) -> str:
    """Return a page's property as a table cell."""
    kind = value["type"]
    content = value.get(kind)
    match kind:
        case "title" | "rich_text":
            return rich_text(content)
        case "number":
            return text_of(content)
        case "select" | "status":
            return str(record(content).get("name") or "")
        case "multi_select":
            return ", ".join(option["name"] for option in content or [])
        case "date":
            date = record(content)
            return f"{date.get('start')} to {date['end']}" if date.get("end") else str(date.get("start") or "")
        case "people":
            return ", ".join(_user(user) for user in content or [])
        case "created_by" | "last_edited_by":
            return _user(content)
        case "files":
            return ", ".join(_file(file) for file in content or [])
        case "checkbox":
            return "true" if content else "false"
        case "url" | "email" | "phone_number" | "created_time" | "last_edited_time":
            return content or ""
        case "formula":
            return _typed(content)
        case "relation":
            return ", ".join(f"`{one['id']}`" for one in content or [])
        case "rollup":
            rollup = record(content)
            if rollup.get("type") == "array":
                return ", ".join(_typed(item) for item in rollup.get("array") or [])
            return _typed(rollup) if rollup.get("type") else ""
        case "unique_id":
            parts = (record(content).get("prefix"), record(content).get("number"))
            return "-".join(str(part) for part in parts if part)
        case "verification":
            return str(record(content).get("state") or "")
        case _:
            return "" if content is None else json_text(content)


def _typed(value: Any) -> str:
    content = record(value)
    kind = content.get("type")
    return text_of(content[kind]) if kind in content else text_of(value)


def _user(value: Any) -> str:
    user = record(value)
    return str(user.get("name") or user.get("id") or "")


def _file(value: Any) -> str:
    name = record(value).get("name") or "Attachment"
    url = file_url(value)
    return f"[{link_label(name)}]({url})" if url else name


def _details(property_: Object) -> str:
    """Return a declared property as a table cell."""
    kind = property_["type"]
    config = record(property_.get(kind))
    match kind:
        case "select" | "multi_select" | "status":
            return f"Options: {', '.join(option['name'] for option in config.get('options') or [])}"
        case "number":
            return f"Format: {config.get('format') or 'number'}"
        case "relation":
            return f"Related data source: {config.get('data_source_id') or config.get('database_id') or ''}"
        case "formula":
            return f"Formula: {config.get('expression') or ''}"
        case "rollup":
            return f"Rollup: {config.get('function') or ''}"
        case _ if kind in _DETAILS:
            return _DETAILS[kind]
        case _ if kind in _NAMED_ONLY:
            return str(kind)
        case _:
            return json_text(config)
