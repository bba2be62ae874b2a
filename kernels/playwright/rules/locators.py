"""Playwright's selectors: formatting, validation and waiting."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import BadXPath
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, Failed, call_log, timed_out

Element = dict[str, Any]

_BELOW = (
    "    at InjectedScript._queryEngineAll (<anonymous>:6789:49)\n"
    "    at InjectedScript.querySelectorAll (<anonymous>:6776:30)\n"
    "    at eval (eval at evaluate (:290:30), <anonymous>:2:35)\n"
    "    at UtilityScript.evaluate (<anonymous>:292:16)\n"
    "    at UtilityScript.<anonymous> (<anonymous>:1:44)"
)
_PATTERNS = {
    "expecting ')'": "Unterminated group",
    "nothing to repeat": "Nothing to repeat",
    "unexpected end": "Unterminated character class",
    "invalid repetition count": "numbers out of order in {} quantifier",
    "extraneous characters at the end": "Unmatched ')'",
    "invalid class range": "Range out of order in character class",
    "invalid group name": "Invalid capture group name",
    "invalid group": "Invalid group",
}
_TIMES_SEEN = 64
"""Number of attempts that Playwright makes within thirty seconds."""


def quoted(text: str) -> str:
    """Quote a text as Playwright does in call logs."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def printed(selector: str) -> str:
    """Format a selector for a call log: `locator('#q')`, `locator('a').nth(1)`."""
    text = ""
    for part in (re.sub(r"^(css=|xpath=(?=//|\.\.))", "", one.strip()) for one in re.split(r">>", selector)):
        nth = re.fullmatch(r"nth=(-?\d+)", part)
        text += (
            _locator(part, text) if nth is None else {"0": ".first()", "-1": ".last()"}.get(nth[1], f".nth({nth[1]})")
        )
    return text


def first(browser: Browser, selector: str, doing: str, log: str | None) -> tuple[Element | None, int]:
    """Return the first element that matches a selector, and the number of matches.

    `log` is the line of a call log with which an error ends.

    Raises:
        Failed: The selector is invalid.
    """
    wrong = browser.document.ask("check", {"selector": selector})
    if wrong is not None:
        raise Failed("invalid", f"{doing}: {_problem(wrong, selector)}" + ("" if log is None else call_log(log)))
    try:
        element = browser.document.find(selector, "playwright")
    except BadXPath as error:
        raise Failed("invalid", f"{doing}: {_no_xpath(str(error))}" + ("" if log is None else call_log(log))) from None
    return (element[0] if element else None), len(element)


def visible(context: AppContext, browser: Browser, selector: str) -> Element:
    """Wait until the first match is visible, like `page.waitForSelector`.

    Raises:
        Failed: The selector is invalid or the timeout expired.
    """
    doing = "page.waitForSelector"
    log = _waiting(browser, selector) + " to be visible"

    def met() -> Element | None:
        element, _ = first(browser, selector, doing, log)
        return element if element is not None and element["visible"] else None

    if (result := browser.wait_for(met, TIMEOUT_MS)) is not None:
        return dict(result)
    element, count = first(browser, selector, doing, log)
    lines = [log]
    if element is not None:
        which = (
            f"hidden {element['preview']}"
            if count == 1
            else f"{count} elements. Proceeding with the first one: {element['preview']}"
        )
        lines.append(f"    {_TIMES_SEEN} × locator resolved to {which}")
    raise timed_out(doing, lines)


def resolved(context: AppContext, browser: Browser, selector: str, doing: str) -> tuple[Element, list[str]]:
    """Wait until an element exists; return it with the call log so far.

    Raises:
        Failed: The selector is invalid or the timeout expired.
    """
    log = _waiting(browser, selector)

    def met() -> tuple[Element, int] | None:
        element, count = first(browser, selector, doing, log)
        return None if element is None else (element, count)

    result = browser.wait_for(met, TIMEOUT_MS)
    if result is None:
        raise timed_out(doing, [log])
    return result[0], [log, resolution(*result)]


def resolution(element: Element, count: int) -> str:
    """Return the line of a call log that names the resolved element."""
    many = f"{count} elements. Proceeding with the first one: " if count > 1 else ""
    return f"    - locator resolved to {many}{element['preview']}"


def _waiting(browser: Browser, selector: str) -> str:
    wrong = browser.document.ask("check", {"selector": selector})
    shown = selector if wrong is not None and "css" in wrong else printed(selector)
    return f"  - waiting for {shown}".rstrip()


def _problem(wrong: dict[str, str], selector: str) -> str:
    if "pattern" in wrong:
        return _no_pattern(wrong["pattern"])
    if "engine" in wrong:
        return f'Unknown engine "{wrong["engine"]}" while parsing selector {selector}'
    return f'Unexpected token "{wrong["token"]}" while parsing css selector "{wrong["css"]}". Did you mean to CSS.escape it?'


def _no_xpath(source: str) -> str:
    return (
        f"SyntaxError: Failed to execute 'evaluate' on 'Document': The string '{source}' is not a valid XPath expression.\n"
        f"    at Object.queryAll (<anonymous>:6091:25)\n{_BELOW}"
    )


def _no_pattern(text: str) -> str:
    """Return V8's message for an invalid regular expression."""
    why = next((ours for ours in _PATTERNS if text.endswith(ours)), None)
    if why is not None:
        text = text.removesuffix(why) + _PATTERNS[why]
    return (
        f"SyntaxError: {text}\n    at new RegExp (<anonymous>)\n    at createTextMatcher (<anonymous>:7912:16)\n"
        f"    at Object.queryAll (<anonymous>:6816:33)\n{_BELOW}"
    )


def _locator(part: str, before: str) -> str:
    return f"{'.' if before else ''}locator({quoted(part)})"
