"""The server's browser: launched by the first call, and relaunched if the launch options change."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser, Launch, opened
from soundstage.kernels.puppeteer.rules.errors import Failed, timed_out
from soundstage.kernels.types import Arguments

_DANGEROUS = (
    "--no-sandbox",
    "--disable-setuid-sandbox",
    "--single-process",
    "--disable-web-security",
    "--ignore-certificate-errors",
    "--disable-features=IsolateOrigins",
    "--disable-site-isolation-trials",
    "--allow-running-insecure-content",
)
_DEFAULT = Launch(800, 600, console_of="puppeteer")


def browser_for(context: AppContext, arguments: Arguments) -> Browser:
    """Return the browser for a call, like `ensureBrowser`.

    Raises:
        Failed: The options contain dangerous arguments, or Puppeteer cannot launch with them.
    """
    options = arguments.get("launchOptions")
    _check(options, bool(arguments.get("allowDangerous")))
    row = context.first("browser")
    text = json.dumps(options, separators=(",", ":"), ensure_ascii=False) if options else None
    if row is not None and text is not None and text != row.get("launch"):
        context.delete("browser", row["session"])
    browser = opened(context, _launch(options))
    now = context.first("browser")
    assert now is not None  # the browser was opened above
    if now.get("launch") != text:
        context.update("browser", now["session"], {"launch": text})
    return browser


def check_dialog(context: AppContext, order: str) -> None:
    """Fail if a page shows a dialog, which blocks all commands and is never closed.

    Raises:
        Failed: The command timed out.
    """
    row = context.first("browser")
    tab = context.get("tab", str(row["current_tab"])) if row is not None and row.get("current_tab") else None
    if tab is not None and tab.get("dialog") is not None:
        raise timed_out(context, order)


def close_dialog(context: AppContext) -> None:
    """Remove the dialog of a page that is being left."""
    row = context.first("browser")
    tab = context.get("tab", str(row["current_tab"])) if row is not None and row.get("current_tab") else None
    if tab is not None and tab.get("dialog") is not None:
        context.update("tab", tab["id"], {"dialog": None})


def check_no_dialog(context: AppContext, browser: Browser, order: str) -> Failed | None:
    """Return the failure of the command that opened a dialog, or None; the dialog stays open."""
    if not browser.dialogs:
        return None
    row = context.first("browser")
    assert row is not None  # a page of the browser opened the dialog
    context.update("tab", str(row["current_tab"]), {"dialog": browser.dialogs[0]["type"]})
    return timed_out(context, order)


def _check(options: Any, allowed: bool) -> None:
    args = options.get("args") if isinstance(options, dict) else None
    if not isinstance(args, list):
        return
    dangerous = [arg for arg in args if isinstance(arg, str) and arg.startswith(_DANGEROUS)]
    if dangerous and not allowed:
        raise Failed(
            "permission",
            f"Dangerous browser arguments detected: {', '.join(dangerous)}. Fround from environment variable and "
            "tool call argument. Set allowDangerous: true in the tool call arguments to override.",
            escapes=True,
        )


def _launch(options: Any) -> Launch:
    viewport = options.get("defaultViewport") if isinstance(options, dict) else None
    if not isinstance(viewport, dict):
        return _DEFAULT
    width, height = viewport.get("width"), viewport.get("height")
    return Launch(int(width), int(height), console_of="puppeteer") if _size(width) and _size(height) else _DEFAULT


def _size(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 10_000
