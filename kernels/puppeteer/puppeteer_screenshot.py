"""The `puppeteer_screenshot` tool."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.engines.browser.painting import picture
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import UNDEFINED, is_number, is_true, number, text
from soundstage.kernels.puppeteer.rules.elements import first
from soundstage.kernels.puppeteer.rules.errors import Failed
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_dialog
from soundstage.kernels.types import Arguments

_ORDER = "Protocol error (Emulation.setDeviceMetricsOverride)"
_LARGEST = 10_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """The tool's reply: a sentence and the PNG, as base64 or (`encoded`) as text."""

    sentence: str
    data: str
    encoded: bool


def run(context: AppContext, arguments: Arguments) -> Picture | Failed:
    """Take a screenshot of the page or of an element and store it under a name."""
    try:
        return _taken(context, arguments)
    except Failed as error:
        return error


def _taken(context: AppContext, arguments: Arguments) -> Picture:
    browser = browser_for(context, arguments)
    check_dialog(context, "Emulation.setDeviceMetricsOverride")
    width, height = _side(arguments, "width", 800), _side(arguments, "height", 600)
    selector = arguments.get("selector")
    if width < 0 or height < 0 or max(width, height) > _LARGEST:
        wrong = f"{_ORDER}: Width and height values must be positive, not greater than {_LARGEST}"
        raise Failed("invalid", wrong, escapes=True)
    browser.resize(width or browser.viewport["width"], height or browser.viewport["height"])
    data = picture(browser, _clip(browser, selector) if selector else None)
    name = text(arguments.get("name", UNDEFINED))
    _keep(context, name, data)
    sentence = f"Screenshot '{name}' taken at {text(width)}x{text(height)}"
    return Picture(sentence, base64.b64encode(data).decode(), is_true(arguments.get("encoded")))


def _side(arguments: Arguments, name: str, default: int) -> int:
    value: Any = arguments.get(name)
    if value is None:
        return default
    whole = number(value) if is_number(value) else None
    if not isinstance(whole, int):
        place = {"width": 22, "height": 22 + len(str(arguments.get("width") or 800)) + 11}[name]
        wrong = f"Invalid parameters Failed to deserialize params.{name} - BINDINGS: int32 value expected at position {place}"
        raise Failed("invalid", f"{_ORDER}: {wrong}", escapes=True)
    return whole


def _clip(browser: Browser, selector: Any) -> dict[str, Any]:
    """Return an element's box on the page."""
    try:
        element = first(browser, selector)
    except Failed as error:
        raise Failed(error.kind, error.message, escapes=True) from None
    if element is None:
        raise Failed("not_found", f"Element not found: {selector}")
    box = element["box"]
    if not element["rendered"]:
        raise Failed("conflict", "Node is either not visible or not an HTMLElement", escapes=True)
    for side in ("width", "height"):
        if not box[side]:
            raise Failed("conflict", f"Node has 0 {side}.", escapes=True)
    return dict(box)


def _keep(context: AppContext, name: str, data: bytes) -> None:
    values = {"data": base64.b64encode(data).decode(), "at": to_ms(context.now())}
    if context.get("screenshot", name) is None:
        context.create("screenshot", {"name": name, **values})
    else:
        context.update("screenshot", name, values)
