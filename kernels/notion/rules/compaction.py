"""The MCP server's short form of lists: ids, titles, texts and simple property values."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.markdown_text import plain

_HINT = "If raw Notion API objects are required, call the same tool with response_mode: 'full'."


def compact(response: Object) -> Object:
    """Return a list in short form."""
    return {
        "object": "notion_compact_list",
        "source_object": "list",
        "source_type": response["type"],
        "result_count": len(response["results"]),
        "has_more": response["has_more"],
        "next_cursor": response["next_cursor"],
        "response_mode": "compact",
        "results": [_item(item) for item in response["results"]],
        "full_response_hint": _HINT,
    }


def _item(item: Object) -> Object:
    match item["object"]:
        case "page":
            short = _picked(item, "object", "id")
            short["title"] = page_title(item) or "Untitled page"
            short |= _picked(item, "url", "parent", "last_edited_time", "in_trash")
            if item["properties"]:
                short["properties"] = {name: property_value(value) for name, value in item["properties"].items()}
        case "data_source":
            short = _picked(item, "object", "id")
            short["title"] = plain(item["title"]) or "Untitled data source"
            short |= _picked(item, "url")
            short["parent_database_id"] = (item.get("parent") or {}).get("database_id")
            properties = item["properties"].items()
            short["property_count"] = len(properties)
            short["properties"] = [
                {"name": value.get("name") or name, "id": value.get("id"), "type": value.get("type")}
                for name, value in properties
            ]
            short |= _picked(item, "in_trash")
        case "block":
            short = _picked(item, "object", "id", "type")
            short |= {"text": _block_text(item), "has_children": bool(item["has_children"])}
            short |= _picked(item, "in_trash")
        case "comment":
            short = _picked(item, "object", "id", "discussion_id", "parent")
            short["text"] = plain(item["rich_text"])
            short |= _picked(item, "created_time", "last_edited_time")
        case _:
            short = _picked(item, "object", "id", "name", "type")
    return short


def property_value(value: Object) -> Any:
    """Return a property's value in short form, or only the type if there is none."""
    kind = value["type"]
    content = value.get(kind)
    match kind:
        case "title" | "rich_text":
            return plain(content)
        case "number" | "checkbox" | "created_time" | "last_edited_time":
            return content
        case "select" | "status":
            return (content or {}).get("name") or None
        case "multi_select":
            return [option["name"] for option in content or []]
        case "date" | "url" | "email" | "phone_number":
            return content or None
        case "people" | "relation":
            return [one["id"] for one in content or [] if one.get("id")]
        case "files":
            return [file.get("name") or file.get("url") for file in content or []]
        case _:
            return {"type": kind}


def page_title(page: Object) -> str:
    """Return the text of a page's first title property."""
    for value in page["properties"].values():
        if value.get("type") == "title" and isinstance(value.get("title"), list):
            return plain(value["title"])
    return ""


def _block_text(block: Object) -> str:
    content = block.get(block["type"])
    if not isinstance(content, dict):
        return ""
    if content.get("rich_text"):
        return plain(content["rich_text"])
    text = next((content[name] for name in ("title", "url") if isinstance(content.get(name), str)), "")
    return str(text)


def _picked(item: Object, *names: str) -> Object:
    return {name: item[name] for name in names if name in item}
