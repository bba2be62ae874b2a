"""The MCP SDK 1.9.0's handling of a reply that is an object instead of a list of content.

It treats the member names as content blocks, and pydantic rejects each of them as any of the three types.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import BaiduError

_KINDS = ("TextContent", "ImageContent", "EmbeddedResource")
_LINK = "https://errors.pydantic.dev/2.11/v/model_type"


def sendable(context: AppContext, reply: Object) -> Object:
    """Return the reply if the server's SDK can send it.

    Raises:
        BaiduError: The SDK cannot send the reply; the message is pydantic's.
    """
    generation = (context.first("server") or {}).get("generation", "")
    if not generation.startswith("mcp 1.9"):
        return reply
    lines = [f"{len(reply) * len(_KINDS)} validation errors for CallToolResult"]
    for place, name in enumerate(reply):
        for kind in _KINDS:
            lines.append(f"content.{place}.{kind}")
            lines.append(
                f"  Input should be a valid dictionary or instance of {kind} "
                f"[type=model_type, input_value='{name}', input_type=str]"
            )
            lines.append(f"    For further information visit {_LINK}")
    raise BaiduError("invalid", "\n".join(lines))
