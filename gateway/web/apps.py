"""An app's page, now or after a step: its custom page, or one generated from its declared tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Entity, Object, SqlValue
from soundstage.contexts.engine.store import Context
from soundstage.gateway.inspection.reader import ALL
from soundstage.gateway.journal.overview import last_changed
from soundstage.gateway.journal.own_calls import OwnCalls
from soundstage.gateway.sessions.at_step import at_step
from soundstage.gateway.sessions.problems import AppNotInSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web import generic, page
from soundstage.gateway.web.clocks import zone_name
from soundstage.gateway.web.page import Web, address, number
from soundstage.gateway.web.timeline import about, name_of, titles
from soundstage.servers.catalogue import app_names, load_app
from soundstage.servers.pictures import media_type
from soundstage.servers.view import FOLDER, PARTS, SHARED, Query, beside, is_of_calls, load_view, picture, takes_long

TABLES, PEOPLE = "tables", "people"
"""Values of `view` in the query: the declared tables, or the app's custom page. Without it, the one that shows the last change.
"""

_OF_FRAME = {"at", "view", "fragment"}
_TELLING = ("insert", "update", "delete")
_MOST_LATELY = 6


def routes(web: Web) -> list[BaseRoute]:
    """Return the pages of a session's apps."""

    async def show(request: Request) -> Response:
        session = await web.session(request)
        app: str = request.path_params["app"]
        at, newest, back = _moment(request, session, app)
        query = dict(request.query_params)
        if takes_long(app) and query.get("view") != TABLES:
            back = ALL
        content, as_tables = await web.reader.read(
            session, show_app, session.id, app, at, query, steps=back, objects=True
        )
        if "fragment" in request.query_params:
            return HTMLResponse(content)
        return web.page(
            request,
            "app.html.jinja",
            title=f"{titles(session.apps)[app]}: {name_of(session)}",
            twin=address(f"/api/sessions/{session.id}/state", app=app, at=at),
            tab=app,
            app=app,
            content=content,
            at=at,
            newest=newest,
            own=load_view(app) is not None,
            as_tables=as_tables,
            silent=load_app(app).silent if app in app_names() else {},
            events=address(f"/sessions/{session.id}/events", after=newest) if at is None else None,
            **await about(web, session, request),
        )

    async def show_picture(request: Request) -> Response:
        session = await web.session(request)
        app: str = request.path_params["app"]
        at, _, back = _moment(request, session, app)
        data = await web.reader.read(session, find_picture, app, at, dict(request.query_params), steps=back)
        kind = None if data is None else media_type(data)
        if kind is None:
            raise HTTPException(404, "there is no picture, or one of a kind or size that is not shown")
        return Response(data, media_type=kind)

    return [
        web.route("/sessions/{session}/apps/{app}", show),
        web.route("/sessions/{session}/apps/{app}/picture", show_picture),
    ]


def _moment(request: Request, session: Session, app: str) -> tuple[int | None, int, int]:
    """Return the requested step (None: now), the newest step, and the number of steps in between.

    Raises:
        AppNotInSession: the session has no such app.
        ContextError: the step does not exist.
    """
    if app not in titles(session.apps):
        raise AppNotInSession(app, session.apps)
    at = number(request, "at")
    newest = journal.last_step(session.context)
    if at is None:
        return None, newest, 0
    journal.check_step(session.context, at)
    return at, newest, newest - at


def style_routes() -> list[BaseRoute]:
    """Return routes to the style sheets of custom pages and their shared parts."""

    async def style(request: Request) -> Response:
        app = request.path_params["app"]
        own = (app in app_names() or app in SHARED) and load_view(app) is not None
        if not own and app not in PARTS:
            raise HTTPException(404)
        return FileResponse(FOLDER / app / "view" / "style.css", media_type="text/css", headers=page.HEADERS)

    return [Route("/static/apps/{app}.css", style)]


def show_app(context: Context, session_id: str, app: str, at: int | None, query: Query) -> tuple[Markup, bool]:
    """Render the app's page without its layout. Returns it, and whether it shows tables."""

    def link(**changes: object) -> str:
        return address(f"/sessions/{session_id}/apps/{app}", **{"at": at, "view": saved_view, **changes})

    def picture_of(**query: object) -> str:
        return address(f"/sessions/{session_id}/apps/{app}/picture", **{"at": at, **query})

    def call_at(step: int) -> str:
        return address(f"/sessions/{session_id}/calls/{step}")

    with at_step(context, at) as then:
        last_change = last_changed(then, (app, *beside(app)), journal.last_step(context))
        places = [] if last_change is None else _places(then, app, last_change.changes)
        shown, primary = _opened(places, query)
        saved_view = shown.get("view")
        keys = {_row(p.change) for p in places}
        left = set() if primary is None else {_row(primary)}

        def changed(entity: str, *key: object) -> bool:
            return (entity, *map(str, key)) in keys

        def anchor(entity: str, *key: object) -> Markup:
            row = (entity, *map(str, key))
            if row not in left:
                return Markup()
            left.discard(row)  # an id must be unique on a page
            return Markup(' id="changed"')

        now = from_ms(then.read_meta().clock.now_ms())
        own = None if shown.get("view") == TABLES else load_view(app)
        if own is None:
            view, templates = generic.show(then.app(app), then.tables[app], shown), _templates(None)
        else:
            templates = _templates(app)
            view = (
                own.show_calls(then.app(app), shown, now, OwnCalls(then, app))
                if is_of_calls(own)
                else own.show(then.app(app), shown, now)
            )
        lately = [(p.change, link(**p.best)) for p in places[:_MOST_LATELY]]
        head = (
            _templates(None)
            .get_template("_lately.html.jinja")
            .render(
                session_id=session_id,
                now=now.astimezone(view.zone),
                zone=zone_name(view.zone, now),
                last_change=last_change,
                lately=lately,
                more=len(places) - len(lately),
            )
        )
        body = templates.get_template(view.template).render(
            link=link, changed=changed, anchor=anchor, picture_of=picture_of, call_at=call_at, **view.data
        )
        return Markup(head + body), own is None  # noqa: S704 autoescaped


def find_picture(context: Context, app: str, at: int | None, query: Query) -> bytes | None:
    """Return an image of the app's custom page."""
    with at_step(context, at) as then:
        return picture(app, then.app(app), query)


@dataclass(frozen=True, slots=True)
class _Place:
    """A changed row, and the queries that show it: on the app's custom page (None: not shown), and in the tables."""

    change: journal.Change
    own: Query | None
    tables: Query

    @property
    def best(self) -> Query:
        """The query of the custom page if it shows the row, otherwise of the tables."""
        return {"view": TABLES, **self.tables} if self.own is None else {"view": PEOPLE, **self.own}


def _places(context: Context, app: str, changes: list[journal.Change]) -> list[_Place]:
    """Return where these changes are shown, most informative first: new rows before others, children before their parents."""
    places = list[_Place]()
    for change in reversed(changes):
        entity = context.tables[change["app"]].entities[change["entity"]]
        key = change["id"] if isinstance(change["id"], list) else [change["id"]]
        value = context.app(entity.app).get(entity.name, tuple(key)) or change["before"]
        if value is not None:
            value = {**dict(zip(entity.key, key, strict=True)), **value}
            places.append(_Place(change, *_where(context, app, entity, value)))
    return sorted(places, key=lambda p: (p.own is None, _TELLING.index(p.change["op"])))


def places_of(context: Context, app: str, entity: str, key: tuple[SqlValue, ...]) -> tuple[Query, Query | None]:
    """Return the queries that show an object in the tables, and on the app's custom page (None: not shown)."""
    declared = context.tables[app].entities[entity]
    value = context.app(app).get(entity, key) or dict(zip(declared.key, key, strict=True))
    own, tables = _where(context, app, declared, value)
    return {"view": TABLES, **tables}, None if own is None else {"view": PEOPLE, **own}


def _where(context: Context, app: str, entity: Entity, value: Object) -> tuple[Query | None, Query]:
    """Return the queries that show an object on the app's custom page (None: not shown), and in the tables."""
    view, rows = load_view(app), context.app(app)
    tables = generic.place(rows, entity, value) if entity.app == app else {}
    return None if view is None else view.place(rows, entity.name, value), tables


def _opened(places: list[_Place], query: Query) -> tuple[Query, journal.Change | None]:
    """Return the query to show, and the change to scroll to; by default the last change."""
    if not places:
        return query, None
    view = query.get("view")
    if query.keys() <= _OF_FRAME:
        chosen = next((p for p in places if p.own is not None), places[0]) if view == PEOPLE else places[0]
        place = chosen.tables if view == TABLES else chosen.own if view == PEOPLE else chosen.best
        return {**query, **(place or {})}, chosen.change
    on_page = (p for p in places if any(w and w.items() <= query.items() for w in (p.own, p.tables)))
    return query, next(on_page, places[0]).change


def _row(change: journal.Change) -> tuple[str, ...]:
    key = change["id"]
    return (change["entity"], *map(str, key if isinstance(key, list) else [key]))


@cache
def _templates(app: str | None) -> Environment:
    """Return the templates of an app's custom page and its shared parts; None means the templates of all pages."""
    made = page.environment()
    if app is not None:
        made.loader = FileSystemLoader([FOLDER / app / "view", FOLDER])
    return made
