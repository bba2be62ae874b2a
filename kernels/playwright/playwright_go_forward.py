"""Go forward in the history; where there is nothing, nothing happens."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.history import moved
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    return moved(context, arguments, "forward")
