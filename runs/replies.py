"""Replies as scripts refer to them."""

from __future__ import annotations

from typing import Any

import orjson


def read_reply(reply: Any) -> Any:
    """A reply as scripts refer to it: the JSON that its text holds, else the text."""
    if not isinstance(reply, dict):
        return reply
    content = reply.get("content") or []
    text = "".join(block.get("text", "") for block in content if isinstance(block, dict))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
