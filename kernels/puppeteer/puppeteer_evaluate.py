"""The `puppeteer_evaluate` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import Stopped
from soundstage.kernels.engines.browser.errors import ScriptError
from soundstage.kernels.puppeteer.rules.errors import Failed, timed_out
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_dialog, check_no_dialog
from soundstage.kernels.puppeteer.rules.scripts import message_of
from soundstage.kernels.types import Arguments

_DESTROYED = "Execution context was destroyed, most likely because of a navigation."


def run(context: AppContext, arguments: Arguments) -> str | Failed:
    """Evaluate a script in the page; return its result and its console output.

    The server replaces the console while the script runs. A script that throws leaves it replaced, so the next script that uses
    the console recurses endlessly, as in the real server.
    """
    browser = browser_for(context, arguments)
    try:
        check_dialog(context, "Runtime.callFunctionOn")
        if "script" not in arguments:
            raise Failed("invalid", "Cannot convert undefined or null to object")
        script = arguments["script"]
        if not isinstance(script, str):
            raise Failed(
                "invalid", "Protocol error (Runtime.callFunctionOn): Given expression does not evaluate to a function"
            )
        browser.act("logs", {"start": True})
        came_to = browser.evaluate(script, "puppeteer")
        hangs = check_no_dialog(context, browser, "Runtime.evaluate")
        if hangs is not None:
            raise hangs
        if isinstance(came_to, ScriptError):
            raise Failed("invalid", message_of(came_to))
        if browser.left:
            raise Failed("conflict", _DESTROYED)
        if came_to is None:
            raise timed_out(context, "Runtime.evaluate")
        logs = browser.act("logs", {"start": False})
    except Stopped:
        return _failure(timed_out(context, "Runtime.evaluate"))
    except Failed as error:
        return _failure(error)
    console = "\n".join(logs)
    return f"Execution result:\n{came_to}\n\nConsole output:\n{console}"


def _failure(error: Failed) -> Failed:
    return Failed(error.kind, f"Script execution failed: {error.message}")
