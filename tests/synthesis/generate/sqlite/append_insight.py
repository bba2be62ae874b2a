"""An insight is taken. No tool tells it again, so nothing is kept."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    return "Insight added to memo"
