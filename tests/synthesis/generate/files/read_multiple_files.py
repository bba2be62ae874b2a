"""Several files one below the other; one that cannot be read says why in its place."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.files.rules.paths import text
from soundstage.kernels.types import Arguments, Reply


def told(context: AppContext, path: str) -> str:
    try:
        return f"{path}:\n{text(context, path)}\n"
    except AppError as error:
        return f"{path}: Error - {error.message}"


def run(context: AppContext, arguments: Arguments) -> Reply:
    said = "\n---\n".join(told(context, path) for path in arguments["paths"])
    return said, {"content": said}
