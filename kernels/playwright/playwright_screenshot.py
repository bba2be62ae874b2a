"""The `playwright_screenshot` tool."""

from __future__ import annotations

import base64

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.engines.browser.painting import picture
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import is_true, text, type_of
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import Failed, refused
from soundstage.kernels.playwright.rules.locators import first
from soundstage.kernels.playwright.rules.paths import full, make_folder, no_path, relative, write
from soundstage.kernels.playwright.rules.process import HOME, in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Take a screenshot of the page and save it; a named element must exist, but the picture shows the page."""
    return in_browser(context, "playwright_screenshot", arguments, lambda browser: _taken(context, browser, arguments))


def _taken(context: AppContext, browser: Browser, arguments: Arguments) -> list[str]:
    kind = arguments.get("type") if is_true(arguments.get("type")) else "png"
    _check_element(browser, arguments)
    name = text(arguments["name"]) if is_true(arguments.get("name")) else "screenshot"
    folder = arguments.get("downloadsDir") if is_true(arguments.get("downloadsDir")) else f"{HOME}/Downloads"
    if not isinstance(folder, str):
        raise Failed("invalid", no_path("path", folder))
    if not _is_there(context, full(folder)):
        make_folder(context, full(folder))
    moment = context.now().strftime("%Y-%m-%dT%H-%M-%S-") + f"{context.now().microsecond // 1000:03d}Z"
    path = full(f"{folder}/{name}-{moment}.png")
    if kind not in ("png", "jpeg"):
        raise Failed("invalid", "page.screenshot: type: expected one of (png|jpeg)")
    data = picture(browser, whole=is_true(arguments.get("fullPage")), kind=str(kind).upper())
    write(context, path, data)
    entries = [f"Screenshot saved to: {relative(path)}"]
    if arguments.get("storeBase64") is not False:
        _keep(context, name, data)
        entries.append(f"Screenshot also stored in memory with name: '{name}'")
    return entries


def _check_element(browser: Browser, arguments: Arguments) -> None:
    selector = arguments.get("selector")
    if not is_true(selector):
        return
    if not isinstance(selector, str):
        raise Failed("invalid", f"page.$: selector: expected string, got {type_of(selector)}")
    if first(browser, selector, "page.$", None)[0] is None:
        raise refused("not_found", f"Element not found: {selector}")


def _is_there(context: AppContext, path: str) -> bool:
    try:
        return context.disk.stat(path) is not None
    except DiskError:
        return False


def _keep(context: AppContext, name: str, data: bytes) -> None:
    values = {"data": base64.b64encode(data).decode(), "at": to_ms(context.now())}
    if context.get("screenshot", name) is None:
        context.create("screenshot", {"name": name, **values})
    else:
        context.update("screenshot", name, values)
