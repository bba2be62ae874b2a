"""The server's dialect: texts and pictures; a failure is one sentence that starts with the attempted operation.

Source: pinkpixel-dev/MCPollinations 6498564 (1.3.1) on the TypeScript SDK's low-level server, which does not validate
arguments.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import indented
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool

_METHOD_NOT_FOUND = -32601
_DOING = {
    "generateImageUrl": "generating image URL",
    "generateImage": "generating image",
    "editImage": "editing image",
    "generateImageFromReference": "generating image from reference",
    "listImageModels": "listing image models",
    "respondAudio": "generating audio",
    "listAudioVoices": "listing audio voices",
    "respondText": "generating text response",
    "listTextModels": "listing text models",
}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return arguments  # type: ignore[return-value]  # a call without any is told apart, and nothing is checked


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a text, content blocks, or any other value as JSON."""
    if isinstance(reply, str):
        return Result([text_block(reply)], ok=True)
    if isinstance(reply, list) and reply and isinstance(reply[0], dict):
        return Result(reply, ok=True)
    return Result([text_block(indented(reply))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    return failed(f"Error {_DOING.get(tool.name, 'generating text response')}: {error.message}", error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Error {_DOING[tool.name]}: fetch failed ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return ProtocolFailure(_METHOD_NOT_FOUND, f"MCP error {_METHOD_NOT_FOUND}: Unknown tool: {name}", "unknown_tool")
