"""How long the strings in a call's arguments may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.servers.faults import Hit, said
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool

DEFAULT = 64 * 1024
"""Characters of one string, where nothing else is known of the real service."""

_DOCUMENT = 1024 * 1024
_FILE = 8 * 1024 * 1024

_OF_APPS: Mapping[str, int] = {
    "filesystem": _FILE,  # contents of files; the body of a request is the real bound
    "wecom": _FILE,  # upload_file takes base64
    "discord": _DOCUMENT,
    "gmail": _FILE,  # a message of 25 MB with its attachments
    "email_163": _FILE,
    "notion": _DOCUMENT,  # 500 KB a request
    "obsidian": _DOCUMENT,  # whole notes
    "lark": _DOCUMENT,  # docx_builtin_import takes a whole document
    "telegram": _DOCUMENT,
    "playwright": _DOCUMENT,  # scripts and posted bodies
    "puppeteer": _DOCUMENT,
    "deepseek": _DOCUMENT,  # prompts as long as the context of the model
    "mcpollinations": _DOCUMENT,
    "firecrawl": _DOCUMENT,
}


def limit_of(tool: Tool) -> int:
    """Return how many characters a string in the tool's arguments may have."""
    return _OF_APPS.get(tool.app, DEFAULT)


def is_too_long(value: Any, limit: int) -> bool:
    """Return whether a string in a JSON value, or the name of a member, is longer than `limit`."""
    # JSON has at least one byte per character, and serializing is faster than visiting each string.
    return len(orjson.dumps(value)) > limit and _has_long_string(value, limit)


def _has_long_string(value: Any, limit: int) -> bool:
    if isinstance(value, str):
        return len(value) > limit
    if isinstance(value, dict):
        return any(len(name) > limit or _has_long_string(item, limit) for name, item in value.items())
    return isinstance(value, list) and any(_has_long_string(item, limit) for item in value)


def too_large(hit: Hit) -> Answer:
    """Return the refusal of a request that is too large, in the app's envelope for errors of its HTTP client."""
    return said(hit, "Error: 413 Payload Too Large", "limit")
