"""The library for people: its contents, a search, single facts, and maps of its cities."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.contexts.engine.library import Library, Match, key_text, shared
from soundstage.gateway.web.page import HEADERS, Web
from soundstage.worlds.library.picture import cities, draw

_PER_PAGE = 50
_EACH = 8
"""Number of facts of each kind that a search shows."""


def routes(web: Web) -> list[BaseRoute]:
    """Return the page for searching the library."""

    async def show(request: Request) -> Response:
        library = await asyncio.to_thread(shared)
        words = request.query_params.get("q", "").strip()
        facts: list[Match] = await asyncio.to_thread(lambda: list(library.find(words, _EACH))) if words else []
        return web.page(
            request,
            "library.html.jinja",
            title="Library",
            twin="/api/library",
            counts=library.counts(),
            digest=library.digest,
            words=words,
            found=facts,
            cities=cities(library),
        )

    async def show_facts(request: Request) -> Response:
        library = await asyncio.to_thread(shared)
        realm, entity = request.path_params["realm"], request.path_params["entity"]
        declared = library.declared(realm, entity)
        if declared is None:
            raise HTTPException(404, f"the library has no {realm} {entity}")
        key = request.query_params.get("key")
        fact = None if key is None else library.by_text(realm, entity, key)
        if key is not None and fact is None:
            raise HTTPException(404, f"the library has no {realm} {entity} {key[:80]}")
        offset = _number(request.query_params.get("offset", ""))
        rows = [] if fact is not None else library.select(declared, None, (), _PER_PAGE, offset)
        return web.page(
            request,
            "facts.html.jinja",
            title=f"{realm} {entity}",
            twin="/api/library",
            realm=realm,
            entity=entity,
            fact=fact,
            key=key,
            rows=[(key_text(declared, row), row) for row in rows],
            columns=_filled(list(declared.fields), rows),
            offset=offset,
            per_page=_PER_PAGE,
            total=library.counts()[realm][entity],
        )

    async def show_map(request: Request) -> Response:
        library = await asyncio.to_thread(shared)
        drawn = await asyncio.to_thread(_drawn, library, request.path_params["city"])
        return Response(drawn, media_type="image/svg+xml", headers=HEADERS)

    return [
        web.route("/library", show),
        web.route("/library/map/{city}", show_map),
        web.route("/library/{realm}/{entity}", show_facts),
    ]


def _drawn(library: Library, city: str) -> str:
    if city not in cities(library):
        raise HTTPException(404, "the library has no map of this place")
    return library.cached(f"map of {city}", lambda facts: draw(facts, city))


def _filled(columns: list[str], rows: list[dict[str, Any]]) -> list[str]:
    """Return the columns with a value in any of the rows."""
    return [name for name in columns if any(name in row for row in rows)][:10]


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 10 else 0
