"""The server process: it records calls, manages the browser and formats Playwright's errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import Stopped
from soundstage.kernels.engines.browser.tabs import USER_AGENT, Browser, Launch, opened
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.codegen import recorded
from soundstage.kernels.playwright.rules.errors import ConnectionLost, Failed, NoAnswer, Refused
from soundstage.kernels.playwright.rules.waits import response_listener
from soundstage.kernels.types import Arguments

HOME = "/home/agent"
"""Working directory of the server; downloads go to its Downloads folder."""

_WIDTH, _HEIGHT = 1280, 720


def in_browser(
    context: AppContext, tool: str, arguments: Arguments, work: Callable[[Browser], str | list[str]]
) -> str | list[str] | AppError:
    """Run a tool that needs the browser. Failures are returned, not raised, so that earlier changes persist."""
    recorded(context, tool, arguments)
    browser = opened(context, _launch(tool, arguments), response_listener(context))
    try:
        return work(browser)
    except Refused as error:
        return error
    except ConnectionLost as error:
        close(context)
        return Refused(
            error.kind,
            f"Browser connection error: {error.message}. Connection has been reset - please retry the operation.",
        )
    except Failed as error:
        return Refused(error.kind, f"Operation failed: {error.message}")
    except Stopped:
        return NoAnswer(context)


def close(context: AppContext) -> bool:
    """Close the browser; return False if none was open."""
    row = context.first("browser")
    return row is not None and context.delete("browser", row["session"])


def _launch(tool: str, arguments: Arguments) -> Launch:
    agent = arguments.get("userAgent") if tool == "playwright_custom_user_agent" else None
    return Launch(
        _size(arguments.get("width"), _WIDTH),
        _size(arguments.get("height"), _HEIGHT),
        agent if isinstance(agent, str) and agent else USER_AGENT,
        str(arguments.get("browserType") or "chromium"),
    )


def _size(value: Any, default: int) -> int:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 10_000
    return int(value) if fits else default
