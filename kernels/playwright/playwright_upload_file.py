"""The `playwright_upload_file` tool."""

from __future__ import annotations

from posixpath import basename

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.engines.browser.tabs import Browser, place
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, Failed, call_log, string, timed_out
from soundstage.kernels.playwright.rules.locators import resolved, visible
from soundstage.kernels.playwright.rules.paths import full, refusal
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_TIMES_SEEN = 63
_TYPES = {
    "txt": "text/plain",
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
}


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Select a file of the server's machine in a file field."""

    def work(browser: Browser) -> str:
        selector = string("page.waitForSelector", "selector", arguments)
        visible(context, browser, selector)
        path = string("page.setInputFiles", "filePath", arguments)
        size, folder = _looked_up(context, path)
        doing = "page.setInputFiles"
        element, log = resolved(context, browser, selector, doing)
        if element["tag"] != "input":
            raise Failed("invalid", f"{doing}: Error: Node is not an HTMLInputElement{call_log(*log)}")
        if element["type"] != "file":  # Playwright waits for the element to become a file field
            browser.wait_for(lambda: None, TIMEOUT_MS)
            raise timed_out(doing, [log[0], f"    {_TIMES_SEEN} × locator resolved to {element['preview']}"])
        if folder:
            raise Failed(
                "invalid",
                f"{doing}: Error: File input does not support directories, pass individual files instead{call_log(*log)}",
            )
        kind = _TYPES.get(path.rpartition(".")[2].lower(), "")
        browser.act("files", {"at": place(element), "files": [{"name": basename(path), "size": size, "type": kind}]})
        return f"Uploaded file '{path}' to '{selector}'"

    return in_browser(context, "playwright_upload_file", arguments, work)


def _looked_up(context: AppContext, path: str) -> tuple[int, bool]:
    """Return a file's size in bytes and whether it is a folder."""
    try:
        entry = context.disk.stat(full(path))
        if entry is None:
            raise DiskError("ENOENT", path)
    except DiskError as error:
        raise Failed("not_found", refusal(error, "stat", path)) from None
    return entry.size, entry.kind == "directory"
