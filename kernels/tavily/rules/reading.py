"""Tavily's data of a page: title, texts, images and icon."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.addresses import parsed
from soundstage.kernels.engines.web.content import blocks, lined, plain

PREVIEW = 200
"""Number of characters of a crawled page that are printed, in UTF-16 units."""


def raw_content(page: Object, *, markdown: bool = True) -> str:
    """Return the page's content after cleaning."""
    if page.get("raw_content"):
        return str(page["raw_content"])
    return page.get("content") or (lined if markdown else plain)(blocks(page.get("html") or ""))


def favicon(url: str) -> str:
    """Return the URL of the site's icon."""
    address = parsed(url)
    return f"{address.origin}/favicon.ico" if address else ""


def pictures(pages: list[Object]) -> list[tuple[str, str]]:
    """Return the distinct images of some pages with their descriptions."""
    result: dict[str, str] = {}
    for page in pages:
        for address, alt in dom.pictures(dom.parsed(page.get("html") or ""), page["url"]):
            result.setdefault(address, alt)
    return list(result.items())
