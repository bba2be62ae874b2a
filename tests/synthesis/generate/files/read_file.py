"""A file's text, or its first or last lines."""

from __future__ import annotations

from math import ceil

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.files.rules.paths import text, valid
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    head, tail = arguments.get("head"), arguments.get("tail")
    valid(arguments["path"])
    if head and tail:
        raise AppError("invalid", "Cannot specify both head and tail parameters simultaneously")
    said = text(context, arguments["path"])
    if head:
        lines = said.removesuffix("\n").split("\n")
        said = "\n".join(lines[: max(0, ceil(head))])
    elif tail:
        said = "\n".join(said.replace("\r\n", "\n").split("\n")[-int(tail) :]) if tail >= 1 else ""
    return said, {"content": said}
