"""The `send_news` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.process import handled, point_at, string
from soundstage.kernels.wecom.rules.webhook import post_message


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """Send a link with a title; arguments that the schema declares as optional are required."""
    return handled(context, "send_news", _handle, arguments)


def _handle(context: AppContext, arguments: Arguments) -> str:
    article = {name: string(arguments, name) for name in ("title", "description", "url", "picurl")}
    point_at(context, "send")
    post_message(context, {"msgtype": "news", "articles": [article]})
    return "News message sent successfully"
