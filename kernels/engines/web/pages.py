"""The pages of the web as an app sees them, its entity `page`: one of them by its address, or those that a query finds.

Pages that a recorded state gives are found by the words that they have, as the recordings' search did; those of the library, of
which there are hundreds and which people ask in sentences, are ranked.
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
"""An app's page as search sees it."""


def title_of(page: Object) -> str:
    """A page's title: what is told of it, or its HTML's own."""
    return page.get("title") or dom.title(dom.parsed(page.get("html") or "")) or ""


def text_of(page: Object) -> str:
    """A page as one line, from which passages are taken."""
    return page.get("content") or plain(blocks(page.get("html") or ""))


def by_title_and_text(page: Object) -> Document:
    """A page as Tavily finds it."""
    return Document(page["url"], title_of(page), "", text_of(page))


def told(context: AppContext) -> bool:
    """Whether the state says which pages there are: then there are no others, and what is not told of them does not hold."""
    return context.source("page") == "own"


def page_at(context: AppContext, url: str) -> Object | None:
    """The page at an address, as a server finds it: without the fragment, `http://a.test` being `http://a.test/`, and `%20` a
    blank."""
    if (exact := context.get("page", url)) is not None:
        return exact
    if (address := parsed(url)) is None:
        return None
    for candidate in (address.page, address.page.removesuffix("/"), unquote(address.page)):
        if (page := context.get("page", candidate)) is not None:
            return page
    if told(context):
        return None
    other = "https" if address.scheme == "http" else "http"
    return context.get("page", f"{other}{address.page.removeprefix(address.scheme)}")


def excerpt(context: AppContext, text: str, query: str, length: int) -> str:
    """What a result shows of a page: the passage that fits. Pages that are told are shown whole, as they were recorded."""
    return text if told(context) else passage(text, query, length)


def is_shown(page: Object) -> bool:
    """Whether a page is one that crawlers and searchers keep: HTML that was answered with 200."""
    return page.get("status", 200) == 200 and str(page.get("content_type") or "text/html").startswith("text/html")


def found(context: AppContext, query: str, read: Read, *, every: bool = True) -> Iterator[Object]:
    """The pages that a query finds, the best first. Of pages that the state gives, those with every word of it, or with any."""
    if context.source("page") == "library":
        index = context.library.kept("web.pages", _index)
        for place in index.ranked(query):
            if (page := context.get("page", index.documents[place].url)) is not None:
                yield page
        return
    pages = [page for page in context.list("page") if is_shown(page)]
    if told(context):
        texts = [(document.title, document.text) for document in map(read, pages)]
        yield from (pages[i] for i in having(query, texts, every=every))
        return
    known = {d.url: d for d in context.library.kept("web.pages", _index).documents}
    both = PageIndex([known[p["url"]] if _is_the_librarys(context, p) else read(p) for p in pages])
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
