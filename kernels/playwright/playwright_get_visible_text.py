"""The `playwright_get_visible_text` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.cutting import cut
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Return the visible texts of the page, one per line."""

    def work(browser: Browser) -> str:
        text = str(browser.document.ask("visibleText"))
        return (
            f"Visible text content:\n{cut(text, arguments.get('maxLength'), '[Output truncated due to size limits]')}"
        )

    return in_browser(context, "playwright_get_visible_text", arguments, work)
