"""The `playwright_get_visible_html` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser, place
from soundstage.kernels.engines.javascript import is_true, text, type_of
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.cutting import cut
from soundstage.kernels.playwright.rules.errors import Failed, refused
from soundstage.kernels.playwright.rules.locators import first
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Return the HTML of the page or an element; without scripts (the default) it is parsed again as a complete page."""

    def work(browser: Browser) -> str:
        html = _markup(browser, arguments)
        clean = is_true(arguments.get("cleanHtml"))
        gone = {
            "scripts": arguments.get("removeScripts") is not False or clean,
            "comments": is_true(arguments.get("removeComments")) or clean,
            "styles": is_true(arguments.get("removeStyles")) or clean,
            "metas": is_true(arguments.get("removeMeta")) or clean,
            "minify": is_true(arguments.get("minify")),
        }
        if any(gone.values()):
            html = str(browser.document.ask("sanitised", {"html": html, **gone}))
        return f"HTML content:\n{cut(html, arguments.get('maxLength'), '<!-- Output truncated due to size limits -->')}"

    return in_browser(context, "playwright_get_visible_html", arguments, work)


def _markup(browser: Browser, arguments: Arguments) -> str:
    selector = arguments.get("selector")
    if not is_true(selector):
        return str(browser.document.ask("markup", {}))
    try:
        if not isinstance(selector, str):
            raise Failed("invalid", f"page.$: selector: expected string, got {type_of(selector)}")
        element, _ = first(browser, selector, "page.$", None)
    except Failed as error:
        raise refused(error.kind, f"Failed to get visible HTML content: {error.message}") from None
    if element is None:
        raise refused("not_found", f'Element with selector "{text(selector)}" not found')
    return str(browser.document.ask("markup", {"selector": place(element)}))
