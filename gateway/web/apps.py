"""An app as people know it, now or as it was after a step: its own page, or one made from its declared tables."""

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
from soundstage.gateway.journal.overview import last_changed
from soundstage.gateway.sessions.past import moment
from soundstage.gateway.sessions.problems import NotInSession
from soundstage.gateway.web import generic, page
from soundstage.gateway.web.clocks import zone_name
from soundstage.gateway.web.page import Web, address, number
from soundstage.gateway.web.timeline import about, name_of, titles
from soundstage.servers.catalogue import app_names
from soundstage.servers.view import FOLDER, SHARED, Query, load_view

TABLES, PEOPLE = "tables", "people"
"""What `view` in the query asks for: the declared tables, or the app's own page. Without it, whichever shows the last change."""

_OF_FRAME = {"at", "view", "fragment"}
_TELLING = ("insert", "update", "delete")
_MOST_LATELY = 6


def routes(web: Web) -> list[BaseRoute]:
    async def show(request: Request) -> Response:
        session = await web.session(request)
        app: str = request.path_params["app"]
        if app not in titles(session.apps):
            raise NotInSession(app, session.apps)
        at = number(request, "at")
        newest = journal.last_step(session.context)
        if at is not None:
            journal.check_step(session.context, at)
        back = 0 if at is None else newest - at
        query = dict(request.query_params)
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
            events=address(f"/sessions/{session.id}/events", after=newest) if at is None else None,
            **await about(web, session, request),
        )

    return [web.route("/sessions/{session}/apps/{app}", show)]


def style_routes() -> list[BaseRoute]:
    """The style sheets of the apps' own pages."""

    async def style(request: Request) -> Response:
        app = request.path_params["app"]
        if (app not in app_names() and app not in SHARED) or load_view(app) is None:
            raise HTTPException(404)
        return FileResponse(FOLDER / app / "view" / "style.css", media_type="text/css", headers=page.HEADERS)

    return [Route("/static/apps/{app}.css", style)]


def show_app(context: Context, session_id: str, app: str, at: int | None, query: Query) -> tuple[Markup, bool]:
    """What the page shows of the app, without its frame, and whether that is its tables."""

    def link(**changes: object) -> str:
        return address(f"/sessions/{session_id}/apps/{app}", **{"at": at, "view": kept, **changes})

    with moment(context, at) as then:
        found = last_changed(then, app, journal.last_step(context))
        places = [] if found is None else _places(then, app, found.changes)
        shown, primary = _opened(places, query)
        kept = shown.get("view")
        keys = {_row(p.change) for p in places}
        left = set() if primary is None else {_row(primary)}

        def changed(entity: str, *key: object) -> bool:
            return (entity, *map(str, key)) in keys

        def anchor(entity: str, *key: object) -> Markup:
            row = (entity, *map(str, key))
            if row not in left:
                return Markup()
            left.discard(row)  # an id stands once in a page
            return Markup(' id="changed"')

        now = from_ms(then.read_meta().clock.now_ms())
        own = None if shown.get("view") == TABLES else load_view(app)
        if own is None:
            view, templates = generic.show(then.app(app), then.tables[app], shown), _templates(None)
        else:
            view, templates = own.show(then.app(app), shown, now), _templates(app)
        lately = [(p.change, link(**p.best)) for p in places[:_MOST_LATELY]]
        head = (
            _templates(None)
            .get_template("_lately.html.jinja")
            .render(
                session_id=session_id,
                now=now.astimezone(view.zone),
                zone=zone_name(view.zone, now),
                found=found,
                lately=lately,
                more=len(places) - len(lately),
            )
        )
        body = templates.get_template(view.template).render(link=link, changed=changed, anchor=anchor, **view.data)
        return Markup(head + body), own is None  # noqa: S704 autoescaped


@dataclass(frozen=True, slots=True)
class _Place:
    """A changed row, and the queries under which it is to be seen: on the app's own page (None: it shows none), and in tables."""

    change: journal.Change
    own: Query | None
    tables: Query

    @property
    def best(self) -> Query:
        """The app's own page, where it shows the row."""
        return {"view": TABLES, **self.tables} if self.own is None else {"view": PEOPLE, **self.own}


def _places(context: Context, app: str, changes: list[journal.Change]) -> list[_Place]:
    """Where these changes are to be seen, what tells most first: new rows before others, children before their parents."""
    found = list[_Place]()
    for change in reversed(changes):
        entity = context.tables[app].entities[change["entity"]]
        key = change["id"] if isinstance(change["id"], list) else [change["id"]]
        value = context.app(app).get(entity.name, tuple(key)) or change["before"]
        if value is not None:
            value = {**dict(zip(entity.key, key, strict=True)), **value}
            found.append(_Place(change, *_where(context, entity, value)))
    return sorted(found, key=lambda p: (p.own is None, _TELLING.index(p.change["op"])))


def places_of(context: Context, app: str, entity: str, key: tuple[SqlValue, ...]) -> tuple[Query, Query | None]:
    """The queries under which an object is to be seen in the tables, and on the app's own page (None: it shows none such)."""
    declared = context.tables[app].entities[entity]
    own, tables = _where(
        context, declared, context.app(app).get(entity, key) or dict(zip(declared.key, key, strict=True))
    )
    return {"view": TABLES, **tables}, None if own is None else {"view": PEOPLE, **own}


def _where(context: Context, entity: Entity, value: Object) -> tuple[Query | None, Query]:
    """Under which queries an object is to be seen: on the app's own page (None: it shows none such), and in tables."""
    view, app = load_view(entity.app), context.app(entity.app)
    return None if view is None else view.place(app, entity.name, value), generic.place(app, entity, value)


def _opened(places: list[_Place], query: Query) -> tuple[Query, journal.Change | None]:
    """What to show, and the change to go to: what the query asks for, and without any wish the last change."""
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
    """The templates of an app's own page; None: those of all pages."""
    made = page.environment()
    if app is not None:
        made.loader = FileSystemLoader(FOLDER / app / "view")
    return made
