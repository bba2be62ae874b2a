"""How the Notion MCP server words what goes wrong around the API, and what colleagues change in a workspace.

It shows one line with status, code and message, and drops Retry-After. It has tried three times by then.
"""

from __future__ import annotations

from random import Random
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import iso, to_ms
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.notion.rules.errors import NotionError
from soundstage.servers.faults import Hit
from soundstage.servers.notion import dialect
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "https://developers.notion.com/reference/request-limits (429 rate_limited)",
    "unavailable": "https://developers.notion.com/reference/status-codes (503 service_unavailable)",
    "server_error": "https://developers.notion.com/reference/status-codes (500 internal_server_error)",
    "auth_expired": "recorded reply of the real server (401 unauthorized)",
    "timeout": "recorded reply of the real server",
}


def rate_limit(hit: Hit) -> Answer:
    message = "You have been rate limited. Please try again in a few minutes."
    return _failed(hit, f"Notion API request failed (429 rate_limited): {message}", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    message = "Notion is unavailable, please try again later."
    return _failed(hit, f"Notion API request failed (503 service_unavailable): {message}", "unavailable")


def server_error(hit: Hit) -> Answer:
    message = "Unexpected error occurred."
    return _failed(hit, f"Notion API request failed (500 internal_server_error): {message}", "internal")


def auth_expired(hit: Hit) -> Answer:
    return _failed(hit, "Notion API request failed (401 unauthorized): API token is invalid.", "unauthorized")


def timeout(hit: Hit) -> Answer:
    return _failed(hit, f"Notion API request timed out after {hit.seconds * 1000}ms", "unavailable")


def page_renamed(context: AppContext, random: Random) -> bool:
    """A colleague edits a page's title."""
    count = context.count("page")
    if not count:
        return False
    page = context.list("page", limit=1, offset=random.randrange(count))[0]
    properties: dict[str, Any] = page.get("properties") or {}
    for name, value in properties.items():
        title = value.get("title") if isinstance(value, dict) else None
        if title and isinstance(title[0], dict):
            return _retitle(context, page["id"], properties, name)
    return False


def block_deleted(context: AppContext, random: Random) -> bool:
    """A colleague puts a block of a page into the trash."""
    where = {"in_trash": False, "has_children": False}
    count = context.count("block", where)
    if not count:
        return False
    block = context.list("block", where, limit=1, offset=random.randrange(count))[0]
    context.update("block", block["id"], {"in_trash": True, "last_edited_time": iso(to_ms(context.now()))})
    return True


DRIFTS = {"page_renamed": page_renamed, "block_deleted": block_deleted}


def _retitle(context: AppContext, page_id: str, properties: dict[str, Any], name: str) -> bool:
    first, *rest = properties[name]["title"]
    title = f"{first.get('plain_text') or (first.get('text') or {}).get('content', '')} (revised)"
    changed = {**first, "plain_text": title}
    if isinstance(first.get("text"), dict):
        changed["text"] = {**first["text"], "content": title}
    now = iso(to_ms(context.now()))
    new = {**properties, name: {**properties[name], "title": [changed, *rest]}}
    context.update("page", page_id, {"properties": new, "last_edited_time": now})
    return True


def _failed(hit: Hit, text: str, kind: ErrorKind) -> Answer:
    assert hit.context is not None, "Notion's own tools always have a context"
    return dialect.failure(hit.tool, NotionError(kind, text), hit.context)
