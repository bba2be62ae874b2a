"""The `playwright_console_logs` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import is_number, is_true, text, to_number
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Return the console messages of all browsers since the server started."""
    return in_browser(
        context, "playwright_console_logs", arguments, lambda browser: _lines(context, browser, arguments)
    )


def _lines(context: AppContext, browser: Browser, arguments: Arguments) -> str | list[str]:
    rows = context.list("console")
    logs = [f"[{row.get('type')}] {row.get('text', '')}" for row in rows]
    kind, search, limit = arguments.get("type"), arguments.get("search"), arguments.get("limit")
    if is_true(kind) and kind != "all":
        logs = [log for log in logs if log.startswith(f"[{text(kind)}]")]
    if is_true(search):
        logs = [log for log in logs if text(search) in log]
    if is_true(limit) and to_number(limit) > 0:
        count = int(to_number(limit)) if is_number(limit) or to_number(limit) < len(logs) else len(logs)
        logs = logs[-count:] if count else logs
    if is_true(arguments.get("clear")):
        for row in rows:
            context.delete("console", row["id"])
    if not logs:
        return "No console logs matching the criteria"
    return [f"Retrieved {len(logs)} console log(s):", *logs]
