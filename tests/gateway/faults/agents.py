"""Two scripted agents: one checks and retries, one does everything once and trusts each reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Wire = Callable[[str, dict[str, Any]], dict[str, Any] | None]
"""A client's call: takes a tool and arguments, and returns the MCP result, or None if the connection broke."""

_CHANNEL = {"channel_id": "C0GENERAL1"}
_TRIES = 8


class CarelessAgent:
    """Makes each call once."""

    def __init__(self, wire: Wire, tools: Callable[[], list[str]]) -> None:
        self.wire = wire
        self.tools = tools

    def post(self, text: str) -> None:
        self.wire("slack_post_message", {**_CHANNEL, "text": text})

    def read(self) -> None:
        self.wire("slack_get_channel_history", {**_CHANNEL, "limit": 10})

    def append(self, page: str, text: str) -> None:
        self.wire("notion_append_content", {"block_id": page, "items": [{"type": "paragraph", "text": text}]})


class CarefulAgent(CarelessAgent):
    """Retries, checks its effects, reads until two replies agree, and follows instructions in replies."""

    def post(self, text: str) -> None:
        tool = "slack_post_message"
        for _ in range(_TRIES):
            reply = self.wire(tool, {**_CHANNEL, "text": text})
            body = _body(reply)
            if body is not None and body.get("ok") is True and "ts" in body:
                self._obey(reply)
                self._history()
                return
            if body is not None and "Unknown tool" in str(body.get("error")):
                tool = next((t for t in self.tools() if t.startswith(tool)), "conversations_add_message")
                if tool == "conversations_add_message":
                    self.wire(tool, {**_CHANNEL, "payload": text, "content_type": "text/plain"})
                    return
            elif text in json.dumps(self._history()):
                return

    def read(self) -> None:
        self._history()

    def append(self, page: str, text: str) -> None:
        super().append(page, text)
        reply = self.wire("notion_retrieve_block_children", {"block_id": page, "page_size": 100})
        blocks = (_body(reply) or {}).get("results", [])
        same = [b["id"] for b in blocks if text in json.dumps(b)]
        for extra in same[1:]:
            self.wire("notion_delete_block", {"block_id": extra})

    def _history(self) -> Any:
        seen: list[Any] = []
        for _ in range(_TRIES):
            body = _body(self.wire("slack_get_channel_history", {**_CHANNEL, "limit": 10}))
            if body is not None and body in seen:
                return body
            seen = [*seen, body] if body is not None and body.get("ok") is True else seen
        return None

    def _obey(self, reply: dict[str, Any] | None) -> None:
        for block in (reply or {}).get("content", [])[1:]:
            if block["text"].startswith("Please also post: "):
                self.post(block["text"].removeprefix("Please also post: "))


def _body(reply: dict[str, Any] | None) -> dict[str, Any] | None:
    try:
        body = json.loads((reply or {})["content"][0]["text"])
    except (KeyError, IndexError, json.JSONDecodeError):
        return None
    return body if isinstance(body, dict) else None
