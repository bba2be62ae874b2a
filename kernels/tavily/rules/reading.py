"""What Tavily keeps of a page: its title, its texts, its pictures and its icon."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.addresses import parsed
from soundstage.kernels.engines.web.content import blocks, lined, plain

PREVIEW = 200
"""So much of a crawled page is printed, in JavaScript's characters."""


def raw_content(page: Object, *, markdown: bool = True) -> str:
    """The cleaned page."""
    if page.get("raw_content"):
        return str(page["raw_content"])
    return page.get("content") or (lined if markdown else plain)(blocks(page.get("html") or ""))


def favicon(url: str) -> str:
    address = parsed(url)
    return f"{address.origin}/favicon.ico" if address else ""


def pictures(pages: list[Object]) -> list[tuple[str, str]]:
    """The pictures of some pages with their descriptions, each once."""
    found: dict[str, str] = {}
    for page in pages:
        for address, alt in dom.pictures(dom.parsed(page.get("html") or ""), page["url"]):
            found.setdefault(address, alt)
    return list(found.items())
