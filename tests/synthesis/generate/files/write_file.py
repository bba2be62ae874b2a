"""A file is made, or another text is put in it."""

from __future__ import annotations

from hashlib import md5

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.files.rules.paths import kind, missing, parent, valid
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    whole, text = valid(arguments["path"]), arguments["content"]
    there = kind(context, whole)
    if there == "directory":
        beside = f"{whole}.{md5(whole.encode()).hexdigest()}.tmp"
        raise AppError("invalid", f"EISDIR: illegal operation on a directory, rename '{beside}' -> '{whole}'")
    if there is None and kind(context, parent(whole)) != "directory":
        raise missing(context, whole, "open")
    if there is None:
        context.create("entry", {"path": whole, "kind": "file", "text": text})
    else:
        context.update("entry", whole, {"text": text})
    said = f"Successfully wrote to {arguments['path']}"
    return said, {"content": said}
