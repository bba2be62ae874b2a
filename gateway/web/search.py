"""The tool search page, with the same search as an agent's `search_tools`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.gateway.calls.call import Target
from soundstage.gateway.calls.toolset import shared_toolset
from soundstage.gateway.search.declared import MAX_QUERY, nothing_found
from soundstage.gateway.web.page import Web, address
from soundstage.servers.catalogue import load_app, load_apps

_SHOWN = 20


def routes(web: Web) -> list[BaseRoute]:
    """Return the page for searching tools."""

    async def show(request: Request) -> Response:
        """Show the tools that match a query; without a query, an app's tools or the apps."""
        query = request.query_params.get("q", "").strip()[:MAX_QUERY]
        app = request.query_params.get("app") or None
        every = shared_toolset(tuple(load_apps()))
        targets = list(every.targets.items())
        hits = []
        if query:
            keep = None if app is None else [target.app.name == app for _, target in targets]
            hits = await web.finder.find(every.catalogue, query, _SHOWN, keep)
        results: list[tuple[str, Target, float | None]] = [(*targets[hit.position], hit.score) for hit in hits]
        if app is not None and not query:
            results = [(name, target, None) for name, target in targets if target.app.name == load_app(app).name]
        return web.page(
            request,
            "search.html.jinja",
            title="Search the catalogue",
            twin=_twin(query, app),
            query=query,
            advice=nothing_found(app),
            app=app,
            apps=load_apps(),
            count=len(targets),
            found=[(name, target.app, target.app.tools[target.tool], score) for name, target, score in results],
        )

    return [web.route("/search", show)]


def _twin(query: str, app: str | None) -> str:
    if query:
        return address("/api/search", q=query, k=_SHOWN, app=app)
    return "/api/apps" if app is None else address(f"/api/apps/{app}/tools")
