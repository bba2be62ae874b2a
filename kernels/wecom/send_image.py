"""The `send_image` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.process import handled, point_at, string
from soundstage.kernels.wecom.rules.webhook import post_message


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """Send a picture."""
    return handled(context, "send_image", _handle, arguments)


def _handle(context: AppContext, arguments: Arguments) -> str:
    image = {"base64": string(arguments, "base64_data"), "md5": string(arguments, "md5")}
    point_at(context, "send")
    post_message(context, {"msgtype": "image", "image": image})
    return "Image message sent successfully"
