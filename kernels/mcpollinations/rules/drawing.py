"""Generated pictures, and the server's replies with them."""

from __future__ import annotations

import base64
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import indented, text
from soundstage.kernels.mcpollinations.rules.requests import ImageRequest, pixels, setting
from soundstage.kernels.mcpollinations.rules.service import check, picture

Blocks = list[dict[str, Any]]
"""MCP content blocks: the picture, and a text about it."""


def drawn(context: AppContext, wanted: ImageRequest, beside: str, doing: str) -> bytes:
    """Return the picture that Pollinations generates; `beside` is its additional input.

    Raises:
        Refusal: The service rejects the request.
    """
    check(context, "image", doing, wanted.prompt)
    message = f"{wanted.prompt}\x00{text(wanted.model)}\x00{text(wanted.seed)}\x00{beside}"
    return picture(message, pixels(wanted.width), pixels(wanted.height))


def output_folder(context: AppContext) -> str:
    """Return the default output folder."""
    return setting(context, "OUTPUT_DIR", "./mcpollinations-output")


def blocks(data: bytes, first: str, metadata: dict[str, Any], path: str) -> Blocks:
    """Return the reply with a picture. Pollinations labels all pictures as JPEG, whatever the file's name."""
    message = f"{first}\n\nImage metadata: {indented(metadata)}\n\nImage saved to: {path}"
    image = {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/jpeg"}
    return [image, {"type": "text", "text": message}]
