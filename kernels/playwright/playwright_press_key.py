"""The `playwright_press_key` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.keys import Key, known, shifted
from soundstage.kernels.engines.browser.tabs import Browser, place
from soundstage.kernels.engines.javascript import is_true
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import Failed, string
from soundstage.kernels.playwright.rules.locators import resolved, visible
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Press a key, with modifiers as in `Control+A`."""

    def work(browser: Browser) -> str:
        if is_true(arguments.get("selector")):
            selector = string("page.waitForSelector", "selector", arguments)
            visible(context, browser, selector)
            element, _ = resolved(context, browser, selector, "page.focus")
            browser.act("focus", {"at": place(element)})
        name = string("keyboard.press", "key", arguments)
        browser.act("key", _pressed(name))
        return f"Pressed key: {name}"

    return in_browser(context, "playwright_press_key", arguments, work)


def _pressed(name: str) -> Key:
    """Return the last key of a combination, with the preceding keys held."""
    keys = []
    for part in _split(name):
        key = known(part)
        if key is None:
            raise Failed("invalid", f'keyboard.press: Unknown key: "{part}"')
        keys.append(key)
    current = [key["key"] for key in keys[:-1]]
    last = keys[-1]
    typed = last["text"]
    if "Shift" in current and typed is not None:
        typed = shifted(last, part)
    return Key(
        key=typed if typed is not None and len(typed) == 1 and typed != "\r" else last["key"],
        code=last["code"],
        text=typed,
        held=current,
    )


def _split(name: str) -> list[str]:
    """Split a combination into key names; a plus sign after a plus sign is a key."""
    parts, part = [], ""
    for c in name:
        if c == "+" and part:
            parts.append(part)
            part = ""
        else:
            part += c
    return [*parts, part]
