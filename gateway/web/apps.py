"""An app as people know it, now or as it was after a step: its own page, or one made from its declared tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import orjson
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import from_ms
from soundstage.gateway.journal.overview import last_changes
from soundstage.gateway.sessions.past import moment
from soundstage.gateway.sessions.problems import NotInSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web import generic, page
from soundstage.gateway.web.page import Web, address, number
from soundstage.gateway.web.timeline import about, name_of
from soundstage.servers.catalogue import app_names, load_app
from soundstage.servers.view import FOLDER, load_view

_MOST_LATELY = 6


def routes(web: Web) -> list[BaseRoute]:
    async def show(request: Request) -> Response:
        session = await web.session(request)
        app: str = request.path_params["app"]
        if app not in session.apps:
            raise NotInSession(app, session.apps)
        at = number(request, "at")
        newest = journal.last_step(session.context)
        if at is not None:
            journal.check_step(session.context, at)
        content = _content(web, session, app, at, dict(request.query_params))
        if "fragment" in request.query_params:
            return HTMLResponse(content)
        return web.page(
            request,
            "app.html.jinja",
            title=f"{load_app(app).title}: {name_of(session)}",
            twin=address(f"/api/sessions/{session.id}/state", app=app, at=at),
            tab=app,
            app=app,
            content=content,
            at=at,
            newest=newest,
            own=load_view(app) is not None,
            as_tables=request.query_params.get("view") == "tables",
            events=address(f"/sessions/{session.id}/events", after=newest) if at is None else None,
            **about(web, session, request),
        )

    return [web.route("/sessions/{session}/apps/{app}", show)]


def style_routes() -> list[BaseRoute]:
    """The style sheets of the apps' own pages."""

    async def style(request: Request) -> Response:
        app = request.path_params["app"]
        if app not in app_names() or load_view(app) is None:
            raise HTTPException(404)
        return FileResponse(FOLDER / app / "view" / "style.css", media_type="text/css", headers=page.HEADERS)

    return [Route("/static/apps/{app}.css", style)]


def _content(web: Web, session: Session, app: str, at: int | None, query: Mapping[str, str]) -> Markup:
    """What the page shows of the app, without its frame."""

    def link(**changes: object) -> str:
        kept = {"at": at, "view": query.get("view")}
        return address(f"/sessions/{session.id}/apps/{app}", **{**kept, **changes})

    with moment(session, at) as context:
        step = journal.last_step(context)
        marked = last_changes(context, app, step)
        keys = {(c["entity"], *map(str, c["id"] if isinstance(c["id"], list) else [c["id"]])) for c in marked}

        def changed(entity: str, *key: object) -> bool:
            return (entity, *map(str, key)) in keys

        own = None if query.get("view") == "tables" else load_view(app)
        if own is None:
            view, templates = generic.show(context.app(app), context.tables[app], query), web.environment
        else:
            now = from_ms(context.read_meta().clock.now_ms())
            view, templates = own.show(context.app(app), query, now), _templates(app)
        lately = [(c, link(view="tables", entity=c["entity"], key=_key(c))) for c in marked[:_MOST_LATELY]]
        head = web.fragment("_lately.html.jinja", lately=lately, more=len(marked) - len(lately))
        body = templates.get_template(view.template).render(link=link, changed=changed, **view.data)
        return head + Markup(body)  # noqa: S704 autoescaped


def _key(change: journal.Change) -> str:
    key = change["id"]
    return orjson.dumps(key if isinstance(key, list) else [key]).decode()


@cache
def _templates(app: str) -> Environment:
    made = page.environment()
    made.loader = FileSystemLoader(FOLDER / app / "view")
    return made
