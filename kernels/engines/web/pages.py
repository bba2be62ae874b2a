"""The web pages of an app, its entity `page`: lookup by URL and search.

Pages of a recorded state match by the words that they contain, like the recorded search engine. The library has hundreds of
pages and users ask it in sentences, so its pages are ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import unquote

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.addresses import parsed
from soundstage.kernels.engines.web.content import blocks, plain
from soundstage.kernels.engines.web.ranking import Document, PageIndex, having, passage

Read = Callable[[Object], Document]
"""Converts an app's page to a search document."""


def title_of(page: Object) -> str:
    """Return a page's title: the stated one, or that of its HTML."""
    return page.get("title") or dom.title(dom.parsed(page.get("html") or "")) or ""


def text_of(page: Object) -> str:
    """Return a page as one line of text, from which passages are quoted."""
    return page.get("content") or plain(blocks(page.get("html") or ""))


def by_title_and_text(page: Object) -> Document:
    """Return a page as Tavily's search sees it."""
    return Document(page["url"], title_of(page), "", text_of(page))


def has_own_pages(context: AppContext) -> bool:
    """Return whether the session's state defines all pages; the library's pages and their facts then do not apply."""
    return context.source("page") == "own"


def page_at(context: AppContext, url: str) -> Object | None:
    """Return the page at a URL like a web server, or None.

    Fragments are ignored, `http://a.test` equals `http://a.test/`, and `%20` equals a space.
    """
    if (exact := context.get("page", url)) is not None:
        return exact
    if (address := parsed(url)) is None:
        return None
    for candidate in (address.page, address.page.removesuffix("/"), unquote(address.page)):
        if (page := context.get("page", candidate)) is not None:
            return page
    if has_own_pages(context):
        return None
    other = "https" if address.scheme == "http" else "http"
    return context.get("page", f"{other}{address.page.removeprefix(address.scheme)}")


def excerpt(context: AppContext, text: str, query: str, length: int) -> str:
    """Return the passage of a page that a search result shows; recorded pages are shown completely."""
    return text if has_own_pages(context) else passage(text, query, length)


def is_shown(page: Object) -> bool:
    """Return whether crawlers and search engines index a page: HTML with status 200."""
    return page.get("status", 200) == 200 and str(page.get("content_type") or "text/html").startswith("text/html")


def search_pages(context: AppContext, query: str, read: Read, *, every: bool = True) -> Iterator[Object]:
    """Yield the pages that match a query, best first.

    Pages of the session's state match if they contain every word, or any word if `every` is False.
    """
    if context.source("page") == "library":
        index = context.library.cached("web.pages", _index)
        for place in index.ranked(query):
            if (page := context.get("page", index.documents[place].url)) is not None:
                yield page
        return
    pages = [page for page in context.list("page") if is_shown(page)]
    if has_own_pages(context):
        texts = [(document.title, document.text) for document in map(read, pages)]
        yield from (pages[i] for i in having(query, texts, every=every))
        return
    library_index = context.library.cached("web.pages", _index)
    places = {document.url: place for place, document in enumerate(library_index.documents)}
    both = library_index.with_documents([places[p["url"]] if _is_the_librarys(context, p) else read(p) for p in pages])
    yield from (pages[i] for i in both.ranked(query))


def _is_the_librarys(context: AppContext, page: Object) -> bool:
    fact = context.library.get("web", "page", page["url"])
    return fact is not None and fact.get("html") == page.get("html") and is_shown(fact)


def _index(library: Library) -> PageIndex:
    return PageIndex(
        [
            Document(p["url"], p.get("title") or "", p.get("description") or "", plain(blocks(p.get("html") or "")))
            for p in library.list("web", "page")
            if is_shown(p)
        ]
    )
