"""Replies and errors of Rednote's MCP server.

Write tools on notes reply with a Chinese sentence, the others with JSON as Go indents it. Errors of the server are
isError with a sentence; errors of the Go SDK (schema violations, unknown tools) are JSON-RPC errors.
"""

from __future__ import annotations

import base64
import io

import segno

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.kernels.xiaohongshu.rules.errors import panic_error
from soundstage.kernels.xiaohongshu.rules.qrcode import LoginQrcode
from soundstage.servers.reply import Answer, Block, Result, failed, go_json, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, go

# The Go structs of tools with integer arguments; the decoder names them if a number does not fit.
_GO_TYPES = {"get_feed_detail": "main.FeedDetailArgs", "list_notifications": "main.ListNotificationsArgs"}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the Go SDK."""
    return go.check(tool, arguments, _GO_TYPES.get(tool.name, ""))


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    match reply:
        case LoginQrcode():
            return Result([text_block(reply.text), _picture(reply.address)], ok=True)
        case str():
            return Result([text_block(reply)], ok=True)
        case _:
            return Result([text_block(go_json(indented_json(reply)))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        return go.invalid_arguments(error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error as a panic."""
    return failed(panic_error(tool.name, call_id, "internal").message, "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return go.unknown_tool(name)


def _picture(address: str) -> Block:
    """Return a PNG with a QR code, uncompressed because compressors differ between machines."""
    png = io.BytesIO()
    segno.make_qr(address, error="l").save(png, kind="png", scale=3, compresslevel=0)
    return {"type": "image", "data": base64.b64encode(png.getvalue()).decode(), "mimeType": "image/png"}
