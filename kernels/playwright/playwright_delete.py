"""The `playwright_delete` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.requests import send
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> list[str] | AppError:
    """Send a DELETE request without the browser."""
    return send(context, "delete", arguments)
