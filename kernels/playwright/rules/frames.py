"""Elements inside a frame, by a locator that must match exactly one element."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser, place
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, Failed, call_log, timed_out
from soundstage.kernels.playwright.rules.locators import Element, first, printed, quoted


def in_frame(context: AppContext, browser: Browser, frame: str, selector: str, doing: str) -> tuple[Element, list[str]]:
    """Wait for an element in a frame; return it with the call log so far.

    Raises:
        Failed: The first selector does not match a frame, the second one matches several elements, or the timeout expired.
    """
    log = f"  - waiting for {printed(frame)}.contentFrame().{printed(selector)}"

    def met() -> list[Element] | None:
        holder, _ = first(browser, frame, doing, log)
        if holder is None:
            return None
        if holder["tag"] not in ("iframe", "frame"):
            wrong = f'Error: Selector "{frame}" resolved to {holder["preview"]}, <iframe> was expected'
            raise Failed("invalid", f"{doing}: {wrong}{call_log(log)}")
        first(browser, selector, doing, log)
        return (
            browser.document.find(selector, "playwright", browser.document.ask("frameIndex", {"at": place(holder)}))
            or None
        )

    result = browser.wait_for(met, TIMEOUT_MS)
    if result is None:
        raise timed_out(doing, [log])
    if len(result) > 1:
        rows = "".join(
            f"\n    {i}) {one['preview']} aka {_aka(browser.document.ask('aka', {'at': place(one)}))}"
            for i, one in enumerate(result[:10], start=1)
        )
        many = f"Error: strict mode violation: {printed(selector)} resolved to {len(result)} elements:{rows}\n"
        raise Failed("conflict", f"{doing}: {many}{call_log(log)}")
    return result[0], [log, f"    - locator resolved to {result[0]['preview']}"]


def frame_of(browser: Browser, frame: str, selector: str) -> Element | None:
    """Return the element in its current state."""
    holder, _ = first(browser, frame, "locator", None)
    if holder is None:
        return None
    element = browser.document.find(selector, "playwright", browser.document.ask("frameIndex", {"at": place(holder)}))
    return element[0] if element else None


def _aka(named: dict[str, str]) -> str:
    if "role" in named:
        return f"getByRole({quoted(named['role'])}, {{ name: {quoted(named['name'])} }})"
    if "text" in named:
        return f"getByText({quoted(named['text'])})"
    return printed(named["selector"])
