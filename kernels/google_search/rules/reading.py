"""Pages as Google indexes them, and as the server reads them with cheerio."""

from __future__ import annotations

import json
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines import javascript
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.content import blocks, plain
from soundstage.kernels.engines.web.ranking import Document
from soundstage.kernels.google_search.rules.errors import Thrown


def title_of(page: Object) -> str:
    """Return a page's title, or its URL."""
    return page.get("title") or dom.title(dom.parsed(page.get("html") or "")) or page["url"]


def text_of(page: Object) -> str:
    """Return a page's main text."""
    return plain(blocks(page.get("html") or ""))


def read(page: Object) -> Document:
    """Return a page as a search document."""
    return Document(page["url"], title_of(page), page.get("description") or "", text_of(page))


def cheerio(body: str) -> tuple[str, str]:
    """Return title and text like the server: without scripts and styles, blocks not separated, white space collapsed.

    axios first parses bodies that are valid JSON, and cheerio treats an object as an empty document.

    Raises:
        Thrown: cheerio fails on the JSON value.
    """
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = body
    if not isinstance(parsed, str):
        _stumble(parsed)
        return "", ""
    root = dom.without(dom.parse(parsed), "script", "style")
    title = "".join(dom.text_of(node) for node in root.iter("title"))
    return title.strip(javascript.SPACES), dom.folded(dom.text_of(dom.body(root)))


def _stumble(parsed: Any) -> None:
    if parsed is None:
        raise Thrown("internal", "cheerio.load() expects a string")
    first = parsed[0] if isinstance(parsed, list) and parsed else parsed
    if not isinstance(first, dict | list):
        text = "null" if first is None else javascript.text(first)
        if first is None:
            raise Thrown("internal", "Cannot read properties of null (reading 'parent')")
        raise Thrown("internal", f"Cannot create property 'prev' on {javascript.type_of(first)} '{text}'")
