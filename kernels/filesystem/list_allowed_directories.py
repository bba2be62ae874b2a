"""The `list_allowed_directories` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.roots import allowed
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the folders in which the server may read and write."""
    return "Allowed directories:\n" + "\n".join(allowed(context))
