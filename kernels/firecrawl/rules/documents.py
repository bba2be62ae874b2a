"""Pages in Firecrawl's formats: Markdown, HTML, links, title and description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soundstage.contexts.engine.ids import keyed_digest
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.cleaning import cleaned
from soundstage.kernels.engines.web.content import blocks, plain
from soundstage.kernels.engines.web.markdown import markdown
from soundstage.kernels.engines.web.ranking import Document

Options = Mapping[str, Any]
_SHOTS = "https://storage.googleapis.com/firecrawl-scrape-media/screenshot"


def raw_html(page: Object) -> str:
    """Return a page's original HTML."""
    return page.get("rawHtml") or page.get("html") or ""


def html_of(page: Object, options: Options) -> str:
    """Return a page's HTML after cleaning, or the cleaned HTML that the state provides."""
    if page.get("rawHtml") is not None and page.get("html") is not None:
        return str(page["html"])
    return _cleaned(page, options)


def markdown_of(page: Object, options: Options) -> str:
    """Return a page as Markdown, or the Markdown that the state provides."""
    if page.get("markdown") is not None:
        return str(page["markdown"])
    return markdown(_cleaned(page, options)) if raw_html(page) else ""


def _cleaned(page: Object, options: Options) -> str:
    return cleaned(
        raw_html(page),
        page["url"],
        main=options.get("onlyMainContent") is not False,
        include=options.get("includeTags") or (),
        exclude=options.get("excludeTags") or (),
    )


def links_of(page: Object) -> list[str]:
    """Return the URLs to which a page links."""
    if page.get("links") is not None:
        return list(page["links"])
    return [to.href for to in dom.links(dom.parsed(raw_html(page)), page["url"])]


def screenshot_of(page: Object, *, is_recorded: bool) -> str | None:
    """Return the URL of a screenshot; pages of a recorded state have only the recorded one."""
    if is_recorded:
        return page.get("screenshot")
    digest = keyed_digest(0, f"firecrawl.screenshot {page['url']}", 0).hex()
    return f"{_SHOTS}-{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32].ljust(12, '0')}.png"


def title_of(page: Object) -> str | None:
    """Return the page's title, never its heading."""
    return (page.get("metadata") or {}).get("title") or dom.title(dom.parsed(raw_html(page)))


def description_of(page: Object) -> str | None:
    """Return the page's own description, or its first paragraph."""
    if description := (page.get("metadata") or {}).get("description"):
        return str(description)
    root = dom.parsed(raw_html(page))
    return dom.meta(root, "description") or next(iter(dom.paragraphs(root)), None)


def text_of(page: Object) -> str:
    """Return the text of a page for search."""
    return page["markdown"] if page.get("markdown") is not None else plain(blocks(raw_html(page)))


def read(page: Object) -> Document:
    """Return a page as a search document."""
    return Document(page["url"], title_of(page) or "", description_of(page) or "", text_of(page))


def document(page: Object, options: Options) -> dict[str, Any]:
    """Return a crawl's document of a page: the requested formats and its metadata."""
    formats = options.get("formats") or ["markdown"]
    result: dict[str, Any] = {}
    if "markdown" in formats and (text := markdown_of(page, options)):
        result["markdown"] = text
    if "html" in formats and (html := html_of(page, options)):
        result["html"] = html
    if "rawHtml" in formats and (raw := raw_html(page)):
        result["rawHtml"] = raw
    metadata = {"title": title_of(page), "sourceURL": page["url"], "statusCode": page.get("status", 200)}
    result["metadata"] = {name: value for name, value in metadata.items() if value is not None}
    return result
