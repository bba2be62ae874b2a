"""The `playwright_drag` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser, place
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import string
from soundstage.kernels.playwright.rules.locators import visible
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Drag one element onto another with the mouse."""

    def work(browser: Browser) -> str:
        doing = "page.waitForSelector"
        source = string(
            doing, "selector", {"selector": arguments.get("sourceSelector")} if "sourceSelector" in arguments else {}
        )
        dragged = visible(context, browser, source)
        target = string(
            doing, "selector", {"selector": arguments.get("targetSelector")} if "targetSelector" in arguments else {}
        )
        goal = visible(context, browser, target)
        browser.act("drag", {"from": place(dragged), "to": place(goal)})
        return f"Dragged element from {source} to {target}"

    return in_browser(context, "playwright_drag", arguments, work)
