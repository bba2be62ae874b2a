"""Errors: WeCom's webhook rejects a request, a file is unreadable, or the server's process panics.

The codes and words are from recordings and WeCom's list of error codes
(https://developer.work.weixin.qq.com/document/path/90313).
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.kernels.errors import AppError, ErrorKind

_CALLER = "203.0.113.24"  # the server's public address, from a range reserved for documentation


_DOING = {
    "send_text": "send text message",
    "send_markdown": "send markdown message",
    "send_image": "send image message",
    "send_news": "send news message",
    "send_template_card": "send template card message",
    "upload_file": "upload file",
}


class Refusal(AppError):
    """An error; the tool prefixes it with `Failed to …: `."""


class Panic(AppError):
    """The Go process crashes without a response, as for a missing argument or one with a wrong type."""

    def __init__(self) -> None:
        """Create the error that a client sees."""
        super().__init__("internal", "MCP error -32000: Connection closed")


def failed_to(tool: str, refusal: AppError) -> Refusal:
    """Return an error with the tool's prefix."""
    return Refusal(refusal.kind, f"Failed to {_DOING[tool]}: {refusal.message}")


def api_error(context: AppContext, kind: ErrorKind, code: int, words: str) -> Refusal:
    """Return an error of the webhook, with its hint and the URL of the explanation."""
    hint = f"{to_s(context.now())}{context.new_id('hint', '{digits:15}')}"
    more = f"https://open.work.weixin.qq.com/devtool/query?e={code}"
    return Refusal(kind, f"WeCom API error: {words}, hint: [{hint}], from ip: {_CALLER}, more info at {more}")
