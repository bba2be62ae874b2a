"""What goes wrong: WeCom's webhook refuses, a file cannot be read, or the server's process ends in a panic.

Codes and wording: recorded refusals, and WeCom's list of error codes (https://developer.work.weixin.qq.com/document/path/90313).
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.kernels.errors import AppError, ErrorKind

_CALLER = "203.0.113.24"  # the address from which the server calls, of those that are nobody's


_DOING = {
    "send_text": "send text message",
    "send_markdown": "send markdown message",
    "send_image": "send image message",
    "send_news": "send news message",
    "send_template_card": "send template card message",
    "upload_file": "upload file",
}


class Refusal(AppError):
    """What a tool says after `Failed to …: `."""


class Panic(AppError):
    """Go's process ends without an answer, as it does for an argument that is missing or of another type."""

    def __init__(self) -> None:
        super().__init__("internal", "MCP error -32000: Connection closed")


def failed_to(tool: str, refusal: AppError) -> Refusal:
    """A refusal as a tool tells it."""
    return Refusal(refusal.kind, f"Failed to {_DOING[tool]}: {refusal.message}")


def api_error(context: AppContext, kind: ErrorKind, code: int, words: str) -> Refusal:
    """A refusal of the webhook, with the hint for its makers and the address of the explanation."""
    hint = f"{to_s(context.now())}{context.new_id('hint', '{digits:15}')}"
    more = f"https://open.work.weixin.qq.com/devtool/query?e={code}"
    return Refusal(kind, f"WeCom API error: {words}, hint: [{hint}], from ip: {_CALLER}, more info at {more}")
