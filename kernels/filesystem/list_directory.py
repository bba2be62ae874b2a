"""The `list_directory` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import readdir
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the entries of a folder, one per line; a symlink to a folder counts as a file."""
    entries = readdir(context, valid_path(context, arguments["path"]))
    return "\n".join(f"{'[DIR]' if kind == 'directory' else '[FILE]'} {name}" for name, kind in entries.items())
