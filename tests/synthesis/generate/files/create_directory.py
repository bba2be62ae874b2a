"""A folder is made, and those above it that are missing."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.files.rules.paths import kind, parent, valid
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    whole = valid(arguments["path"])
    if kind(context, whole) == "file":
        raise AppError("conflict", f"EEXIST: file already exists, mkdir '{whole}'")
    wanted = []
    at = whole
    while kind(context, at) is None:
        wanted.append(at)
        at = parent(at)
    if kind(context, at) == "file":
        raise AppError("invalid", f"ENOTDIR: not a directory, mkdir '{whole}'")
    for path in reversed(wanted):
        context.create("entry", {"path": path, "kind": "directory", "text": ""})
    said = f"Successfully created directory {arguments['path']}"
    return said, {"content": said}
