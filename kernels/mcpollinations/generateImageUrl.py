"""The `generateImageUrl` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.mcpollinations.rules.requests import arguments_of, image_request
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the URL of a picture without a request to Pollinations."""
    wanted = image_request(context, arguments_of(arguments))
    return {"imageUrl": wanted.address(), **wanted.metadata()}
