"""The `read_text_file` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.reading import text_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Read a file as text, completely or its first or last lines; a count of 0 counts as missing."""
    return text_of(context, arguments["path"], arguments.get("head"), arguments.get("tail"))
