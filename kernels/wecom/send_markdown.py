"""The `send_markdown` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.process import handled, point_at, string
from soundstage.kernels.wecom.rules.webhook import post_message


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """Send a Markdown message."""
    return handled(context, "send_markdown", _handle, arguments)


def _handle(context: AppContext, arguments: Arguments) -> str:
    content = string(arguments, "content")
    point_at(context, "send")
    post_message(context, {"msgtype": "markdown", "content": content})
    return "Markdown message sent successfully"
