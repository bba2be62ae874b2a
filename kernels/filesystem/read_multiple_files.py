"""The `read_multiple_files` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.lines import decoded
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import read
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Read several files in sequence; unreadable ones are replaced by the reason."""
    return "\n---\n".join(_section(context, path) for path in arguments["paths"])


def _section(context: AppContext, path: str) -> str:
    try:
        return f"{path}:\n{decoded(read(context, valid_path(context, path)))}\n"
    except Refusal as refusal:
        return f"{path}: Error - {refusal.message}"
