"""The pages of a site, and crawling."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web.addresses import Address, host_of, parsed, within
from soundstage.kernels.engines.web.pages import is_shown, page_at
from soundstage.kernels.engines.web.patterns import compiled
from soundstage.kernels.engines.web.walk import breadth_first
from soundstage.kernels.firecrawl.rules.bodies import depth, with_scheme
from soundstage.kernels.firecrawl.rules.documents import links_of
from soundstage.kernels.types import Arguments

_DEEPEST, _LIMIT = 10, 10_000


def pages_of(context: AppContext, host: str, *, subdomains: bool) -> list[Object]:
    """Return the pages of a host, optionally with subdomains, in the order of the web."""
    if context.source("page") == "library":
        hosts = [site["host"] for site in context.library.list("web", "site") if within(site["host"], host)]
        named = context.library.list("web", "page", {"site in": hosts if subdomains else [host]})
        pages = [page for page in named if is_shown(page)]
    else:
        pages = [page for page in context.list("page") if is_shown(page)]
    at = {page["url"]: host_of(page["url"]) for page in pages}
    return [p for p in pages if at[p["url"]] == host or (subdomains and within(at[p["url"]], host))]


def reachable(context: AppContext, host: str) -> bool:
    """Return whether a site exists at a host, in which case it responds at least with 404."""
    if context.source("page") != "own" and context.library.get("web", "site", host) is not None:
        return True
    return bool(pages_of(context, host, subdomains=False))


def mapped(context: AppContext, arguments: Arguments) -> list[str]:
    """Return the URLs of a site; without its sitemap, unlinked pages are missing."""
    address = parsed(with_scheme(arguments["url"]))
    assert address is not None  # the body has been validated
    pages = pages_of(context, address.host, subdomains=arguments.get("includeSubdomains") is not False)
    listed = any(page.get("in_sitemap") for page in pages)
    if arguments.get("sitemapOnly") is True:
        pages = [page for page in pages if page.get("in_sitemap", not listed)]
    elif arguments.get("ignoreSitemap") is True and listed:
        linked = {to for page in pages for to in links_of(page)}
        pages = [p for p in pages if not p.get("in_sitemap") or p["url"] in {*linked, address.page}]
    urls = [page["url"] for page in pages]
    if word := arguments.get("search"):
        wanted = str(word).lower().split()
        urls.sort(key=lambda url: -sum(part in url.lower() for part in wanted))
    return urls[: int(arguments.get("limit", 5000))]


def crawled(context: AppContext, arguments: Arguments) -> list[str]:
    """Return the pages that a crawl visits: the start, pages reachable by links, and the sitemap.

    The crawl stays below the start's path unless backward links are allowed, and on its host unless external links are. The
    patterns are searched in paths without the leading slash and do not apply to the start.
    """
    start = parsed(with_scheme(arguments["url"]))
    assert start is not None  # the body has been validated
    includes, excludes = _patterns(arguments.get("includePaths")), _patterns(arguments.get("excludePaths"))
    deepest = arguments.get("maxDepth", _DEEPEST)

    def wanted(to: Address) -> bool:
        path = to.path.removeprefix("/")
        if to.host != start.host:
            return arguments.get("allowExternalLinks") is True
        if arguments.get("allowBackwardLinks") is not True and not to.path.startswith(start.path):
            return False
        if depth(to.page) > deepest or any(pattern.search(path) for pattern in excludes):
            return False
        return not includes or any(pattern.search(path) for pattern in includes)

    def linked(url: str) -> list[str]:
        page = page_at(context, url)
        targets = [parsed(link) for link in links_of(page)] if page is not None else []
        results = [page_at(context, _same(to, arguments)) for to in targets if to is not None and wanted(to)]
        return [page["url"] for page in results if page is not None and is_shown(page) and not page.get("unreachable")]

    first = page_at(context, start.page)
    come_by = list(breadth_first(first["url"], linked, depth=_DEEPEST)) if first is not None else []
    if arguments.get("ignoreSitemap") is not True:
        for page in pages_of(context, start.host, subdomains=False):
            at = parsed(page["url"])
            if at is not None and wanted(at) and page.get("in_sitemap") is not False:
                come_by.append(page["url"])
    return list(dict.fromkeys(come_by))[: max(int(arguments.get("limit", _LIMIT)), 0)]


def _same(to: Address, arguments: Arguments) -> str:
    return f"{to.origin}{to.path}" if arguments.get("ignoreQueryParameters") is True else to.page


def _patterns(given: Any) -> list[Any]:
    """Compile path patterns; invalid ones match nothing."""
    return [pattern for text in given or () if (pattern := compiled(text)) is not None]
