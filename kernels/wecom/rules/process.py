"""The server as a process of Go: how it reads arguments, and the webhook address that it remembers from one call to the next.

`upload_file` points it at the address for uploads, and `send_text` alone does not point it back. After a panic the process is
started anew and knows nothing of that.
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
    """What a tool answers. A refusal is returned and not raised: the process remembers where it was pointed."""
    try:
        return handler(context, arguments)
    except Refusal as refusal:
        return failed_to(tool, refusal)
    except Panic as panic:
        point_at(context, "send")
        return panic


def string(arguments: Arguments, name: str) -> str:
    """`Arguments[name].(string)`.

    Raises:
        Panic: it is missing, or no text.
    """
    value = arguments.get(name)
    if not isinstance(value, str):
        raise Panic
    return value


def own_robot(context: AppContext) -> Object | None:
    """The robot whose key the server was started with."""
    return context.first("webhook_robot")


def point_at(context: AppContext, path: Path) -> None:
    """Remember where to post."""
    robot = own_robot(context)
    if robot is not None and robot.get("webhook_path", "send") != path:
        context.update("webhook_robot", robot["key"], {"webhook_path": path})
