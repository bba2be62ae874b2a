"""The folder that may be looked into."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.files.rules.paths import ROOT
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    said = f"Allowed directories:\n{ROOT}"
    return said, {"content": said}
