"""Read a file as text: all of it, or its first or last lines. A count of 0 is none at all."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.reading import text_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    return text_of(context, arguments["path"], arguments.get("head"), arguments.get("tail"))
