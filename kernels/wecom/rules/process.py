"""The server as a Go process: its argument handling, and the webhook URL that it retains between calls.

`upload_file` switches to the URL for uploads, and `send_text` is the only tool that does not switch back. After a panic the
process restarts with the default URL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.errors import Panic, Refusal, failed_to

Path = Literal["send", "upload_media"]


def handled(
    context: AppContext, tool: str, handler: Callable[[AppContext, Arguments], str], arguments: Arguments
) -> str | Panic | Refusal:
    """Return a tool's reply. A rejection is returned instead of raised, so that the process retains its URL."""
    try:
        return handler(context, arguments)
    except Refusal as refusal:
        return failed_to(tool, refusal)
    except Panic as panic:
        point_at(context, "send")
        return panic


def string(arguments: Arguments, name: str) -> str:
    """Return `Arguments[name].(string)`.

    Raises:
        Panic: The argument is missing or not a string.
    """
    value = arguments.get(name)
    if not isinstance(value, str):
        raise Panic
    return value


def own_robot(context: AppContext) -> Object | None:
    """Return the robot whose key the server uses."""
    return context.first("webhook_robot")


def point_at(context: AppContext, path: Path) -> None:
    """Set the webhook URL for this and later calls."""
    robot = own_robot(context)
    if robot is not None and robot.get("webhook_path", "send") != path:
        context.update("webhook_robot", robot["key"], {"webhook_path": path})
