"""The `create_directory` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import mkdir
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a folder and its missing parents."""
    mkdir(context, valid_path(context, arguments["path"]))
    return f"Successfully created directory {arguments['path']}"
