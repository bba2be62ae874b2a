"""Notion's faults: errors of its API, and drifts caused by colleagues.

The server shows one line with status, code and message, and drops Retry-After. It has retried three times by then.
"""

from __future__ import annotations

from random import Random
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import iso, to_ms
from soundstage.servers.faults import Hit, any_row, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "https://developers.notion.com/reference/request-limits (429 rate_limited)",
    "unavailable": "https://developers.notion.com/reference/status-codes (503 service_unavailable)",
    "server_error": "https://developers.notion.com/reference/status-codes (500 internal_server_error)",
    "auth_expired": "recorded reply of the real server (401 unauthorized)",
    "timeout": "recorded reply of the real server",
}


def rate_limit(hit: Hit) -> Answer:
    """Word a rate limit."""
    message = "You have been rate limited. Please try again in a few minutes."
    return said(hit, f"Notion API request failed (429 rate_limited): {message}", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Word an unavailable service."""
    message = "Notion is unavailable, please try again later."
    return said(hit, f"Notion API request failed (503 service_unavailable): {message}", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Word an internal error."""
    message = "Unexpected error occurred."
    return said(hit, f"Notion API request failed (500 internal_server_error): {message}", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Word an invalid token."""
    return said(hit, "Notion API request failed (401 unauthorized): API token is invalid.", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Word a timeout."""
    return said(hit, f"Notion API request timed out after {hit.seconds * 1000}ms", "unavailable")


def page_renamed(context: AppContext, random: Random) -> bool:
    """Rename a page."""
    page = any_row(context, "page", random)
    if page is None:
        return False
    properties: dict[str, Any] = page.get("properties") or {}
    for name, value in properties.items():
        title = value.get("title") if isinstance(value, dict) else None
        if title and isinstance(title[0], dict):
            return _retitle(context, page["id"], properties, name)
    return False


def block_deleted(context: AppContext, random: Random) -> bool:
    """Move a block of a page to the trash."""
    block = any_row(context, "block", random, {"in_trash": False, "has_children": False})
    if block is None:
        return False
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
