"""Element actions as in Playwright: wait until the element is actionable, and log the attempts if it never is.

The number of attempts within thirty seconds follows recordings: immediately, after 20 ms, after 100 ms, then every 500 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser, place
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, Failed, call_log, timed_out
from soundstage.kernels.playwright.rules.locators import Element, first, resolved

NO_FIELD = (
    "Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing "
    "[aria-readonly]"
)
_READONLY_ROLES = frozenset(
    [
        "checkbox",
        "combobox",
        "grid",
        "gridcell",
        "listbox",
        "radiogroup",
        "slider",
        "spinbutton",
        "textbox",
        "columnheader",
        "rowheader",
        "searchbox",
        "switch",
        "treegrid",
    ]
)
_FILLED = frozenset(
    (
        "",
        "color",
        "date",
        "datetime-local",
        "email",
        "month",
        "number",
        "password",
        "range",
        "search",
        "tel",
        "text",
        "time",
        "url",
        "week",
    )
)
_SET = frozenset(("color", "date", "datetime-local", "month", "range", "time", "week"))

Again = Callable[[], Element | None]
"""Looks up the element again."""


def again(browser: Browser, selector: str, doing: str) -> Again:
    """Return a function that looks up an element again."""
    return lambda: first(browser, selector, doing, None)[0]


def click(context: AppContext, browser: Browser, selector: str, doing: str = "page.click") -> None:
    """Click an element once it is visible and enabled.

    Raises:
        Failed: The element is missing or never becomes actionable.
    """
    element, log = resolved(context, browser, selector, doing)
    click_element(context, browser, element, log, doing, again(browser, selector, doing))


def click_element(
    context: AppContext, browser: Browser, element: Element, log: list[str], doing: str, look: Again
) -> None:
    """Click a resolved element once it is actionable."""
    ready = acted_on(context, browser, element, log, doing, look, "click", "visible, enabled and stable", 58)
    browser.act("click", {"at": place(ready)})


def hover(context: AppContext, browser: Browser, selector: str) -> None:
    """Move the mouse over an element once it is visible."""
    element, log = resolved(context, browser, selector, "page.hover")
    ready = acted_on(
        context,
        browser,
        element,
        log,
        "page.hover",
        again(browser, selector, "page.hover"),
        "hover",
        "visible and stable",
        58,
    )
    browser.act("hover", {"at": place(ready)})


def fill(context: AppContext, browser: Browser, selector: str, value: Any, doing: str = "page.fill") -> None:
    """Replace the value of a field.

    Raises:
        Failed: The element is not a field, cannot hold the value or never becomes editable.
    """
    element, log = resolved(context, browser, selector, doing)
    fill_element(context, browser, element, log, value, doing, again(browser, selector, doing))


def fill_element(
    context: AppContext, browser: Browser, element: Element, log: list[str], value: str, doing: str, look: Again
) -> None:
    """Replace the value of a resolved field once it is editable."""
    wanted = "visible, enabled and editable"
    log = [*log, f'    - fill("{value}")']
    if element["visible"] and element["enabled"] and (wrong := _no_field(element)) is not None:
        raise _attempted(doing, wrong, log, "fill", wanted)
    ready = acted_on(context, browser, element, log, doing, look, "fill", wanted, 60)
    if (wrong := _no_value(ready, value)) is not None:
        raise _attempted(doing, wrong, log, "fill", wanted)
    browser.act("fill", {"at": place(ready), "value": value})
    if ready["type"] in _SET and _given(browser, ready) != value.strip():
        raise _attempted(doing, "Malformed value", log, "fill", wanted)


def select(context: AppContext, browser: Browser, selector: str, value: str) -> None:
    """Select the options whose value or label equals the given one.

    Raises:
        Failed: The element is not a select element or never has such an option.
    """
    doing, wanted = "page.selectOption", "visible and enabled"
    element, log = resolved(context, browser, selector, doing)
    if element["options"] is None:
        raise _attempted(doing, "Element is not a <select> element", log, "select option", wanted)
    look = again(browser, selector, doing)
    ready = acted_on(
        context, browser, element, log, doing, look, "select option", wanted, 60, lambda one: _no_option(one, value)
    )
    browser.act(
        "select",
        {"at": place(ready), "options": [i for i, option in enumerate(ready["options"]) if _is(option, value)][:1]},
    )


def acted_on(
    context: AppContext,
    browser: Browser,
    element: Element,
    log: list[str],
    doing: str,
    look: Again,
    action: str,
    wanted: str,
    times: int,
    further: Callable[[Element], str | None] = lambda element: None,
) -> Element:
    """Wait until an element is in the required state: `wanted` in Playwright's words, and no problem reported by `further`.

    Raises:
        Failed: The timeout of thirty seconds expired; `times` is the number of attempts at the final interval.
    """
    seen = [element]

    def met() -> Element | None:
        now = look()
        if now is None:
            return None
        seen.append(now)
        return now if _obstacle(now, wanted) is None and further(now) is None else None

    result = browser.wait_for(met, TIMEOUT_MS)
    if result is not None:
        return dict(result)
    problem = _obstacle(seen[-1], wanted) or further(seen[-1]) or "element is not visible"
    head = f"waiting for element to be {wanted}"
    raise timed_out(doing, [
        *log, f"  - attempting {action} action",
        f"    2 × {head}", f"      - {problem}", f"    - retrying {action} action", "    - waiting 20ms",
        f"    2 × {head}", f"      - {problem}", f"    - retrying {action} action", "      - waiting 100ms",
        f"    {times} × {head}", f"       - {problem}", f"     - retrying {action} action", "       - waiting 500ms",
    ])  # fmt: skip


def _obstacle(element: Element, wanted: str) -> str | None:
    if not element["visible"]:
        return "element is not visible"
    if "enabled" in wanted and not element["enabled"]:
        return "element is not enabled"
    if "editable" in wanted and element["readonly"]:
        return "element is not editable"
    return None


def _attempted(doing: str, problem: str, log: list[str], action: str, wanted: str) -> Failed:
    lines = (*log, f"  - attempting {action} action", f"    - waiting for element to be {wanted}")
    return Failed("invalid", f"{doing}: Error: {problem}{call_log(*lines)}")


def _no_field(element: Element) -> str | None:
    tag = element["tag"]
    if tag in ("input", "textarea", "select") or element["contentEditable"] or element["role"] in _READONLY_ROLES:
        return None
    return NO_FIELD


def _no_value(element: Element, value: str) -> str | None:
    """Return why a value cannot be filled into an element, or None."""
    if element["tag"] == "input":
        kind = str(element["type"])
        if kind not in _FILLED:
            return f'Input of type "{kind}" cannot be filled'
        if kind == "number" and not _is_number(value.strip()):
            return "Cannot type text into input[type=number]"
        return None
    if element["tag"] == "textarea" or element["contentEditable"]:
        return None
    return "Element is not an <input>, <textarea> or [contenteditable] element"


def _is_number(text: str) -> bool:
    try:
        float(text or "0")
    except ValueError:
        return False
    return text.lower() not in ("nan", "inf", "infinity", "-inf", "-infinity")


def _given(browser: Browser, element: Element) -> str:
    return str(browser.document.ask("held", {"at": place(element)}))


def _is(option: dict[str, Any], value: str) -> bool:
    return bool(option["value"] == value or option["label"] == value)


def _no_option(element: Element, value: str) -> str | None:
    fitting = [option for option in element["options"] or [] if _is(option, value)]
    if not fitting:
        return "did not find some options"
    return "option being selected is not enabled" if fitting[0]["disabled"] else None
