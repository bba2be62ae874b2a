"""What the MCP SDK 1.9.0 makes of an answer that is an object and no list of content: it takes the names of its members for
content blocks, and pydantic refuses each of them as any of the three kinds that there are.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import BaiduError

_KINDS = ("TextContent", "ImageContent", "EmbeddedResource")
_LINK = "https://errors.pydantic.dev/2.11/v/model_type"


def sendable(context: AppContext, reply: Object) -> Object:
    """The answer, where the server's SDK can send it.

    Raises:
        BaiduError: pydantic's words for an answer of members that are no content.
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
