"""The `send_text` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.process import handled, string
from soundstage.kernels.wecom.rules.webhook import post_message


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """Send a text with mentions to the webhook URL of the previous call, which may be the one for uploads."""
    return handled(context, "send_text", _handle, arguments)


def _handle(context: AppContext, arguments: Arguments) -> str:
    content = string(arguments, "content")
    people, mobiles = _mentions(arguments)
    message = {"content": content, "mentioned_list": people, "mentioned_mobile_list": mobiles}
    post_message(context, {"msgtype": "text", **message})
    return "Text message sent successfully"


def _mentions(arguments: Arguments) -> tuple[list[str], list[str]]:
    """Return the users to mention, by userid and by mobile number; either list being empty drops both."""
    if arguments.get("mentioned_list") is None and arguments.get("mentioned_mobile_list") is None:
        return [], []
    people, mobiles = string(arguments, "mentioned_list"), string(arguments, "mentioned_mobile_list")
    return (people.split(","), mobiles.split(",")) if people and mobiles else ([], [])
