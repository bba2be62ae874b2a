"""The `write_file` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.errors import SystemRefusal
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import replace_file, write
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a file or replace an existing one."""
    path, data = valid_path(context, arguments["path"]), arguments["content"].encode()
    try:
        write(context, path, data)
    except SystemRefusal as refusal:
        if refusal.code != "EEXIST":
            raise
        replace_file(context, path, data)
    return f"Successfully wrote to {arguments['path']}"
