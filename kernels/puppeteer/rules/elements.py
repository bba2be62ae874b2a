"""Elements by Puppeteer's selectors (CSS, or a custom engine with a prefix such as `text/…` or `xpath/…`), and waiting."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import BadXPath
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.puppeteer.rules.errors import Failed

WAIT_MS = 30_000
_PREFIXED = re.compile(r"(aria|pierce|text|xpath)[=/](.*)", re.S)
_PSEUDO = re.compile(r"(.*?)::-p-(text|xpath)\((.*)\)", re.S)

Element = dict[str, Any]


def first(browser: Browser, selector: Any) -> Element | None:
    """Return the first element that matches a selector, or None.

    Raises:
        Failed: The selector is invalid.
    """
    if not isinstance(selector, str):
        known = "Cannot read properties of undefined (reading 'startsWith')"
        raise Failed("invalid", known if selector is None else "selector.startsWith is not a function")
    result = _of_engine(browser, selector)
    if result is None:
        document = browser.document
        if (wrong := document.ask("css", {"selector": selector, "method": "querySelector"})) is not None:
            raise Failed("invalid", f"SyntaxError: {wrong}")
        result = document.find(selector, "css")
    return result[0] if result else None


def waited_for(context: AppContext, browser: Browser, selector: Any) -> None:
    """Wait until an element exists, visible or not. An invalid selector waits until the timeout as well.

    Raises:
        Failed: The timeout of thirty seconds expired.
    """

    def met() -> Element | None:
        try:
            return first(browser, selector)
        except Failed:
            if not isinstance(selector, str):
                raise
            return None

    if browser.wait_for(met, WAIT_MS) is None:
        raise Failed("not_found", f"Waiting for selector `{selector}` failed: Waiting failed: {WAIT_MS}ms exceeded")


def present(browser: Browser, selector: Any) -> Element:
    """Return the element to act on.

    Raises:
        Failed: No element matches.
    """
    result = first(browser, selector)
    if result is None:
        raise Failed("not_found", f"No element found for selector: {selector}")
    return result


def clickable(element: Element) -> Element:
    """Return the element if it has a box on the page.

    Raises:
        Failed: The element has no box.
    """
    if element["box"]["width"] * element["box"]["height"] < 1:
        raise Failed("conflict", "Node is either not clickable or not an Element")
    return element


def _of_engine(browser: Browser, selector: str) -> list[Element] | None:
    """Return the matches of a custom selector engine of Puppeteer, or None for plain CSS."""
    if (prefixed := _PREFIXED.match(selector)) is not None:
        engine, body = prefixed.groups()
    elif (pseudo := _PSEUDO.fullmatch(selector.strip())) is not None and pseudo[1].strip() in ("", "*"):
        engine, body = pseudo[2], pseudo[3].strip().strip("\"'")
    else:
        return None
    try:
        match engine:
            case "xpath":
                return browser.document.find(body, "xpath")
            case "text":
                return browser.document.find(body, "exact_text")
            case "aria":
                return browser.document.find(body, "name")
            case _:
                return browser.document.find(body, "css")
    except BadXPath:
        raise Failed(
            "invalid",
            f"SyntaxError: Failed to execute 'evaluate' on 'Document': The string '{body}' is not a valid XPath expression.",
        ) from None
