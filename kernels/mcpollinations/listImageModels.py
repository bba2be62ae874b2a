"""The `listImageModels` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.mcpollinations.rules.service import check
from soundstage.kernels.types import Arguments

_MODELS = ["flux", "kontext", "turbo"]


def run(context: AppContext, arguments: Arguments | None) -> list[str]:
    """List the image models."""
    check(context, "image", "list models")
    return _MODELS
