"""A session's page: its calls as they happen, and one call with arguments, reply and receipt next to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute

from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine import journal
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.inspection.find import Excerpt
from soundstage.gateway.journal.lines import Line, actor
from soundstage.gateway.journal.overview import StepFilter, newest_steps, shown, tools_with
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web.page import Web, address, number
from soundstage.servers.catalogue import app_names, load_app
from soundstage.servers.view import SHARED

PER_PAGE = 50
EFFECTS = ("read", "create", "update", "delete", "other")


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter in the query."""

    app: str | None
    effect: str | None
    only: str | None

    @classmethod
    def of(cls, request: Request) -> Filter:
        """Read the filter from a request's query."""
        query = request.query_params
        return cls(query.get("app") or None, query.get("effect") or None, query.get("only") or None)

    def query(self) -> dict[str, str | None]:
        """Return the filter as the members of a query."""
        return {"app": self.app, "effect": self.effect, "only": self.only}

    def wanted(self, session: Session) -> StepFilter:
        """Return the filter for the session's journal."""
        tools = None if self.effect is None else tools_with(self.effect, session.apps)
        ok = False if self.only == "failed" else None
        return StepFilter(self.app, tools, ok=ok, faulted=self.only == "faults")


def routes(web: Web) -> list[BaseRoute]:
    """Return the pages of a session's timeline and its steps."""

    async def show(request: Request) -> Response:
        session = await web.session(request)
        chosen = Filter.of(request)
        before = number(request, "before")
        with session.in_use():
            steps = await newest_steps(session.context, chosen.wanted(session), limit=PER_PAGE + 1, before=before)
        newest = journal.last_step(session.context)
        return web.page(
            request,
            "timeline.html.jinja",
            title=name_of(session),
            twin=address(f"/api/sessions/{session.id}/journal", after=max((steps or [1])[-1] - 1, 0), limit=PER_PAGE),
            tab="timeline",
            chosen=chosen,
            effects=EFFECTS,
            rows=rows(web, session, steps[:PER_PAGE]),
            any_rows=bool(steps),
            older=steps[PER_PAGE - 1] if len(steps) > PER_PAGE else None,
            before=before,
            live=before is None,
            events=address(f"/sessions/{session.id}/events", after=newest, **chosen.query()),
            **await about(web, session, request),
        )

    async def call(request: Request) -> Response:
        session = await web.session(request)
        step: int = request.path_params["step"]
        calls = shown(session.context, [step]) if 0 < step < 2**62 else []
        if not calls:
            raise HTTPException(404, f"this session has no step {step}")
        data = {"line": calls[0], "session": session, "effect": effect_of(calls[0])}
        if "fragment" in request.query_params:
            return HTMLResponse(web.fragment("_call.html.jinja", **data))
        title = f"Step {step}: {calls[0]['tool']}"
        twin = address(f"/api/sessions/{session.id}/journal", after=step - 1, limit=1)
        around = {**await about(web, session, request), **data}
        return web.page(request, "call.html.jinja", title=title, twin=twin, tab="timeline", **around)

    return [web.route("/sessions/{session}", show), web.route("/sessions/{session}/calls/{step:int}", call)]


def rows(web: Web, session: Session, steps: list[int], excerpts: Mapping[int, Excerpt | None] | None = None) -> Markup:
    """Render steps as rows of the timeline, each with its search match."""
    listed = [(line, effect_of(line)) for line in shown(session.context, steps)]
    return web.fragment("_rows.html.jinja", session=session, listed=listed, excerpts=excerpts or {})


def effect_of(line: Line) -> str:
    """Return the effect of a step's tool, or the actor of a step of no app."""
    if line["app"] is None:
        return actor(line)
    tool = load_app(line["app"]).tools.get(line["tool"]) if line["app"] in app_names() else None
    return "other" if tool is None else tool.effect


def name_of(session: Session) -> str:
    """Return a session's name, or its id if it has none."""
    return session.record.name or session.id


def titles(apps: Iterable[str]) -> dict[str, str]:
    """Return the names and titles of a session's pages: its apps, and the parts that they share."""
    shared = {name: title for name, title in SHARED.items() if name in tables_for(a for a in apps if a in app_names())}
    return {app: load_app(app).title if app in app_names() else app for app in apps} | shared


async def about(web: Web, session: Session, request: Request) -> dict[str, Any]:
    """Return the data for the header of a session's pages."""
    with session.in_use():
        totals = await web.tally.of(session.id, session.context)
    meta = session.context.read_meta()
    at = Addresses.seen_from(request, web.settings)
    return {
        "session": session,
        "name": name_of(session),
        "apps": titles(session.apps),
        "totals": totals,
        "clock": meta.clock,
        "mcp_url": at.mcp(at.handle(session.record)),
        "seats": [(seat.user, at.mcp(seat.handle)) for seat in (session.seats or {}).values()],
    }
