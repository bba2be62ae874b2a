"""The `playwright_save_as_pdf` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.painting import printed
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import is_true, text, to_number
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import Failed
from soundstage.kernels.playwright.rules.paths import full, no_path, write
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_MM = 25.4
_PAPER_IN = {
    "letter": (8.5, 11.0), "legal": (8.5, 14.0), "tabloid": (11.0, 17.0), "ledger": (17.0, 11.0), "a0": (33.1, 46.8),
    "a1": (23.4, 33.1), "a2": (16.54, 23.4), "a3": (11.7, 16.54), "a4": (8.27, 11.7), "a5": (5.83, 8.27), "a6": (4.13, 5.83),
}  # fmt: skip
_UNITS_PX = {"px": 1.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_MARGIN = "1cm"


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Print the page to a PDF file."""
    return in_browser(context, "playwright_save_as_pdf", arguments, lambda browser: _saved(context, browser, arguments))


def _saved(context: AppContext, browser: Browser, arguments: Arguments) -> str:
    folder = arguments["outputPath"] if is_true(arguments.get("outputPath")) else "."
    name = arguments["filename"] if is_true(arguments.get("filename")) else "page.pdf"
    for i, part in enumerate((folder, name)):
        if not isinstance(part, str):
            raise Failed("invalid", no_path(f"paths[{i}]", part))
    path = full(name if name.startswith("/") else f"{folder}/{name}")
    paper = text(arguments["format"]) if is_true(arguments.get("format")) else "A4"
    if paper.lower() not in _PAPER_IN:
        raise Failed("invalid", f"page.pdf: Unknown paper format: {paper}")
    given = arguments.get("margin")
    margins = given if isinstance(given, dict) else dict.fromkeys(("top", "right", "bottom", "left"), _MARGIN)
    top, right, bottom, left = (_inches(margins.get(side)) * _MM for side in ("top", "right", "bottom", "left"))
    width, height = (side * _MM for side in _PAPER_IN[paper.lower()])
    write(context, path, printed(browser, (width, height), (top, right, bottom, left)))
    return f"Saved page as PDF: {path}"


def _inches(message: Any) -> float:
    """Convert a margin such as `1cm` to inches; numbers without a unit are pixels."""
    if message is None:
        return 0.0
    words = text(message)
    unit = words[-2:].lower()
    number = words[:-2] if unit in _UNITS_PX else words
    value = to_number(number)
    if value != value:
        raise Failed("invalid", f"page.pdf: Failed to parse parameter value: {words}")
    return value * _UNITS_PX.get(unit, 1.0) / 96
