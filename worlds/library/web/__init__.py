"""The web of the library: hand-written sites (`sites/`), and pages generated from the other realms (`derived/`).

The hand-written page wins if both have the same address.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web import written
from soundstage.worlds.library.web.derived import derived
from soundstage.worlds.library.web.endpoints import endpoints
from soundstage.worlds.library.web.rendering import Layouts


def rows(facts: Mapping[tuple[str, str], Sequence[Object]]) -> Iterator[tuple[str, Object]]:
    """Yield (entity, row) for every site, page, asset and endpoint, in a fixed order.

    `facts` are the rows of the realms built before, by realm and entity.
    """
    hosts, pages, assets = written.read()
    more_hosts, more_pages = derived(facts)
    known_hosts, known_pages = {site.host for site in hosts}, {(page.site, page.path) for page in pages}
    hosts += [site for site in more_hosts if site.host not in known_hosts]
    pages += [page for page in more_pages if (page.site, page.path) not in known_pages]
    by_site: dict[str, list[written.Page]] = defaultdict(list)
    for page in pages:
        by_site[page.site].append(page)

    layouts = Layouts()
    for site in hosts:
        render = partial(layouts.render, site, pages=by_site[site.host])
        shown = ("host", "name", "title", "description", "lang", "kind")
        yield "site", {name: getattr(site, name) for name in shown}
        for page in sorted(by_site[site.host], key=lambda page: page.path):
            yield "page", _row(site, page, render(page))
        for endpoint in endpoints(site, by_site[site.host], render):
            yield "endpoint", endpoint
    for asset in assets:
        yield "asset", {"url": asset.url, "content_type": asset.content_type, "base64": asset.base64}


def _row(site: written.Site, page: written.Page, html: str) -> Object:
    row = {
        "url": site.origin + page.path,
        "site": site.host,
        "title": page.title,
        "description": page.description,
        "html": html,
        "lang": page.lang,
        "published": page.published,
        "author": page.author,
        "content_type": "text/html; charset=utf-8",
        "status": 200,
    }
    return {name: value for name, value in row.items() if value is not None}
