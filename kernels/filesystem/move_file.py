"""The `move_file` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import exists, rename
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Move a file or folder to a path that does not exist; for a symlink, its target moves."""
    source = valid_path(context, arguments["source"])
    destination = valid_path(context, arguments["destination"])
    if exists(context, destination):
        raise Refusal("conflict", f"Destination already exists: {destination}")
    rename(context, source, destination)
    return f"Successfully moved {arguments['source']} to {arguments['destination']}"
