"""What is in a folder, a line each. A symlink to a folder counts as a file."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import readdir
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    entries = readdir(context, valid_path(context, arguments["path"]))
    return "\n".join(f"{'[DIR]' if kind == 'directory' else '[FILE]'} {name}" for name, kind in entries.items())
