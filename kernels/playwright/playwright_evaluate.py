"""The `playwright_evaluate` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.errors import ScriptError
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import Failed, NoAnswer
from soundstage.kernels.playwright.rules.evaluating import message_of
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_FUNCTION = re.compile(r"^(?:async)?\s*function(?:\s|\()")
_DESTROYED = "Execution context was destroyed, most likely because of a navigation"


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Evaluate a script in the page and return its result; values that JSON cannot represent are returned as text."""
    script = text(arguments.get("script", UNDEFINED))

    def work(browser: Browser) -> list[str]:
        came_to = browser.evaluate(_as_expression(script), "playwright")
        if isinstance(came_to, ScriptError):
            raise Failed("invalid", f"page.evaluate: {message_of(came_to)}")
        if came_to is None and browser.left:
            raise Failed("conflict", f"page.evaluate: {_DESTROYED}")
        if came_to is None:
            raise NoAnswer(context)
        return ["Executed JavaScript:", script, "Result:", str(came_to)]

    try:
        return in_browser(context, "playwright_evaluate", arguments, work)
    except NoAnswer as error:
        return error


def _as_expression(script: str) -> str:
    """Wrap a script that begins with a function in parentheses (`normalizeEvaluationExpression`)."""
    return f"({script.strip()})" if _FUNCTION.match(script.strip()) else script
