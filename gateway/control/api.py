"""The control plane over HTTP: sessions, snapshots, clocks, state, journals and grading. Agents' handles give no access to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

import orjson
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException

from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine import journal, state, tree
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.journal import Caller, Kind
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import digest, read_versions
from soundstage.gateway.access import Access
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.calls.call import Target
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import shared_toolset
from soundstage.gateway.cluster.forward import Forwarder
from soundstage.gateway.control import models
from soundstage.gateway.control.faults import add_fault_routes
from soundstage.gateway.control.inspection import add_inspection_routes
from soundstage.gateway.control.overview import add_overview_routes
from soundstage.gateway.control.plane import At, json_body, new_plane
from soundstage.gateway.control.upstreams import add_upstream_routes
from soundstage.gateway.inspection import exports
from soundstage.gateway.inspection.reader import ALL, Reader
from soundstage.gateway.journal.activity import ListedSession, list_with_activity
from soundstage.gateway.journal.overview import TotalsCache
from soundstage.gateway.journal.versions import HEADER, describe_changes, moved_on
from soundstage.gateway.reading.readers import ReadingBroken
from soundstage.gateway.registry.records import NEUTRAL, Introduction, Seat, SessionRecord, SnapshotRecord
from soundstage.gateway.search.declared import DEFAULT_RESULTS, MAX_QUERY, MAX_RESULTS, first_sentence
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.clock_rules import ClockChange
from soundstage.gateway.sessions.problems import AppNotInSession, BadRequest
from soundstage.gateway.sessions.seats import new_seat
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.upstream.catalogue import CATEGORY, upstream_app
from soundstage.gateway.upstream.shared import SharedUpstreams
from soundstage.gateway.upstream.upstream import UpstreamTool
from soundstage.gateway.upstream.upstreams import Upstreams
from soundstage.servers.catalogue import UnknownApp, app_names, load_app, load_apps
from soundstage.servers.faults import GENERAL, fault_words

_ANY_OBJECT = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
}  # checked against the apps' declared tables, which are stricter than a schema here could be
_CHANGES: dict[int | str, dict[str, Any]] = {200: {"model": list[models.ChangeShown]}}
_SHOWN_AT_ONCE = 50
Step = Annotated[int, Query(ge=0, lt=2**31)]


def build_api(
    sessions: Sessions,
    settings: Settings,
    finder: ToolFinder,
    calls: CallService,
    upstreams: Upstreams,
    shared: SharedUpstreams,
    access: Access,
    forwarder: Forwarder,
    tally: TotalsCache,
    reader: Reader,
) -> FastAPI:
    """Build the control plane as an ASGI application; its paths start with /api."""
    api = new_plane("Soundstage control plane", access.authorize, sessions, settings)
    _session_routes(api, sessions, calls, upstreams, shared, tally, reader)
    _state_routes(api, sessions, reader)
    add_inspection_routes(api, sessions, reader)
    add_fault_routes(api, sessions, forwarder, reader)
    _catalogue_routes(api, upstreams)
    add_overview_routes(api, sessions, settings, upstreams)
    _search_route(api, finder, upstreams)
    add_upstream_routes(api, upstreams, shared, settings)
    return api


def _session_routes(
    api: FastAPI,
    sessions: Sessions,
    calls: CallService,
    upstreams: Upstreams,
    shared: SharedUpstreams,
    tally: TotalsCache,
    reader: Reader,
) -> None:
    def shown(session: Session, at: Addresses) -> models.SessionDetail:
        return _detail(session, at, upstreams.names_for(session.record))

    async def wanted(body: models.SessionBody) -> NewSession:
        if not set(body.apps or ()) <= {*app_names(), *(u.name for u in upstreams.all())}:
            await shared.catch_up()  # another gateway may have just added one
        outside = None if body.apps is None else tuple(a for a in body.apps if upstreams.find(a) is not None)
        return NewSession(
            name=body.name,
            world=body.world,
            user=body.user,
            server=NEUTRAL if body.server is None else Introduction(**body.server.model_dump()),
            apps=None if body.apps is None else tuple(a for a in body.apps if a not in (outside or ())),
            upstreams=outside,
            seed=body.seed,
            clock=ClockChange() if body.clock is None else body.clock.change(),
            durability=body.durability,
            ttl_s=body.ttl,
            faults=body.faults,
            tools=body.tools,
            unavailable=body.unavailable,
        )

    @api.post("/api/sessions", status_code=201)
    async def create_session(body: models.SessionBody, at: At) -> models.SessionDetail:
        """Create a session from a world."""
        return shown(await sessions.create(await wanted(body)), at)

    @api.post("/api/sessions/batch", status_code=201)
    async def create_sessions(body: models.BatchBody, at: At) -> models.SessionBatch:
        """Create several identical sessions with separate addresses: all of them, or none if anything fails."""
        made: list[models.SessionDetail] = []
        for session in await sessions.create_many(await wanted(body), body.n):
            if len(made) % _SHOWN_AT_ONCE == _SHOWN_AT_ONCE - 1:
                await asyncio.sleep(0)
            made.append(shown(session, at))
        return models.SessionBatch(sessions=made)

    @api.get("/api/sessions")
    async def list_sessions(
        at: At,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        activity: Annotated[bool, Query(description="include each session's activity, for which it is opened")] = False,
    ) -> models.SessionPage:
        """List sessions, newest first."""
        records, total = await sessions.page(offset=offset, limit=limit)
        looked_at = (
            {one.record.id: _activity(one) for one in await list_with_activity(sessions, tally, records)}
            if activity
            else {}
        )
        listed = [
            models.SessionListed(
                **dict(_shown(r, at, upstreams.names_for(r))),
                damaged=sessions.known_problem(r),
                activity=looked_at.get(r.id),
            )
            for r in records
        ]
        return models.SessionPage(sessions=listed, total=total)

    @api.get("/api/sessions/{session_id}")
    async def show_session(session_id: str, at: At) -> models.SessionExamined:
        """Return one session, by id or name, with its step, clock and digest."""
        session = await sessions.by_id(session_id)
        detail = shown(session, at)
        return models.SessionExamined(**dict(detail), digest=await reader.read(session, digest, objects=True))

    @api.delete("/api/sessions/{session_id}", status_code=204)
    async def delete_session(session_id: str) -> None:
        """Delete a session."""
        await upstreams.close_session(await sessions.delete(session_id))

    @api.post("/api/sessions/{session_id}/reset")
    async def reset_session(session_id: str, at: At) -> models.SessionDetail:
        """Reset a session to its start. A damaged context is rebuilt from its world."""
        session = await sessions.reset_by_id(session_id)
        await upstreams.close_session(session.id)
        return shown(session, at)

    @api.post("/api/sessions/{session_id}/fork", status_code=201)
    async def fork_session(session_id: str, at: At, body: models.ForkBody | None = None) -> models.SessionDetail:
        """Create a session equal to this one, now or after a step."""
        wanted = body or models.ForkBody()
        source = await sessions.by_id(session_id)
        _check_step(source, wanted.at)
        fork = await sessions.fork(source, step=wanted.at, name=wanted.name)
        return shown(fork, at)

    @api.post("/api/sessions/{session_id}/seats", status_code=201)
    async def take_seat(session_id: str, body: models.SeatBody, at: At) -> models.SeatShown:
        """Add a handle into the session for another person of its world."""
        session = await sessions.by_id(session_id)
        return _seat(await sessions.add_seat(session, body.user), at, upstreams.names_for(session.record))

    @api.get("/api/sessions/{session_id}/seats")
    async def list_seats(session_id: str, at: At) -> list[models.SeatShown]:
        """List a session's seats with their addresses, oldest first."""
        session = await sessions.by_id(session_id)
        beside = upstreams.names_for(session.record)
        return [_seat(seat, at, beside) for seat in (session.seats or {}).values()]

    @api.post("/api/sessions/{session_id}/snapshots", status_code=201)
    async def take_snapshot(session_id: str) -> models.SnapshotShown:
        """Store a copy of the session's current state."""
        return _snapshot(await sessions.snapshot(await sessions.by_id(session_id)))

    @api.get("/api/sessions/{session_id}/snapshots")
    async def list_snapshots(session_id: str) -> list[models.SnapshotShown]:
        """List a session's snapshots, oldest first."""
        return [_snapshot(s) for s in await sessions.snapshots_by_id(session_id)]

    @api.post("/api/sessions/{session_id}/restore")
    async def restore_session(session_id: str, body: models.RestoreBody, at: At) -> models.SessionDetail:
        """Restore a snapshot, even if the context is damaged, or the state after a step."""
        if body.snapshot is not None and body.step is None:
            return shown(await sessions.restore_by_id(session_id, body.snapshot), at)
        session = await sessions.by_id(session_id)
        if body.step is not None and body.snapshot is None:
            _check_step(session, body.step)
            await sessions.restore_step(session, body.step)
        else:
            raise BadRequest('say where to go back to: {"snapshot": id} or {"step": number}, one of the two')
        return shown(session, at)

    @api.post("/api/sessions/{session_id}/clock")
    async def set_clock(session_id: str, body: models.ClockBody) -> models.ClockShown:
        """Set the session's clock; omitted members are unchanged."""
        session = await sessions.by_id(session_id)
        sessions.set_clock(session, body.change())
        return _clock(session.summary().clock)

    @api.post("/api/sessions/{session_id}/calls")
    async def make_call(session_id: str, body: models.CallBody) -> models.CallShown:
        """Call a tool as the session's agent would, by app and the tool's own name."""
        session = await sessions.by_id(session_id)
        try:
            seat = None if body.user is None else new_seat(session, body.user)
            toolset = upstreams.toolset_of(session, body.app, seat)
        except AppNotInSession as error:  # the body named it, not the address
            raise BadRequest(str(error)) from None
        session.check_changeable()
        with session.in_use():
            made = await calls.make_call(session, toolset, body.tool, body.arguments, caller=Caller(body.user))
        answer = made.answer
        return models.CallShown(
            step=made.step or 0,
            ok=made.delivery.ok,
            is_error=answer.is_error,
            error_kind=answer.error_kind,
            reply=made.reply,
            duration_us=made.duration_us,
        )


def _state_routes(api: FastAPI, sessions: Sessions, reader: Reader) -> None:
    @api.get("/api/sessions/{session_id}/state")
    async def read_state(
        session_id: str, app: str | None = None, entity: str | None = None, at: Step | None = None
    ) -> Response:
        """Return the session's objects, {app: {entity: [objects]}}, now or after step `at`."""
        session = await sessions.by_id(session_id)
        _check_step(session, at)
        back = 0 if at is None else journal.last_step(session.context) - at
        content = await reader.parts(session, exports.objects, app, entity, at, steps=back, objects=True)
        return StreamingResponse(content, media_type="application/json")

    @api.put("/api/sessions/{session_id}/state", openapi_extra=_ANY_OBJECT)
    async def put_state(session_id: str, request: Request, mode: state.LoadMode = "replace") -> models.StepShown:
        """Load objects. `replace`: each named entity contains only these afterwards; `add`: insert, or overwrite by key.

        The body is {app: {entity: [objects]}}.
        """
        wanted = await json_body(request, "{app: {entity: [objects]}}")
        return models.StepShown(step=sessions.put_state(await sessions.by_id(session_id), wanted, mode))

    @api.get("/api/sessions/{session_id}/tree")
    async def read_tree(session_id: str, app: str, path: str | None = None) -> Response:
        """Return one app's objects as a tree, or the object at a path such as calendar[primary].calendar_event[abc_0]."""
        session = await sessions.by_id(session_id)
        load_app(app)
        content = await reader.parts(session, exports.app_tree, app, path, objects=True)
        return StreamingResponse(content, media_type="application/json")

    @api.put("/api/sessions/{session_id}/tree", openapi_extra=_ANY_OBJECT)
    async def put_tree(
        session_id: str, app: str, request: Request, mode: state.LoadMode = "replace"
    ) -> models.StepShown:
        """Load one app's objects from a tree; `mode` as for the state."""
        load_app(app)
        session = await sessions.by_id(session_id)
        wanted = tree.flatten(session.context.tables_of(app), await json_body(request, "{entity: {key: object}}"))
        return models.StepShown(step=sessions.put_state(session, wanted, mode))

    @api.get("/api/sessions/{session_id}/journal", response_class=StreamingResponse)
    async def read_journal(
        session_id: str,
        after: Step = 0,
        limit: Annotated[int, Query(ge=1, lt=2**31)] | None = None,
        kind: Annotated[Kind | None, Query(description="steps of this kind alone")] = None,
    ) -> StreamingResponse:
        """Return the steps after `after` with their receipts, as JSON lines (NDJSON).

        The response contains the steps that exist when it begins, even if it takes long, because it is streamed. If a later
        line cannot be read, the last line is `{"error": …}` instead.
        """
        session = await sessions.by_id(session_id)
        # Steps of one kind may be rare, so that all must be searched.
        most = None if kind is not None else limit
        over = max(0, min(journal.last_step(session.context) - after, ALL if most is None else most))
        content = await reader.parts(session, exports.journal_lines, after, limit, kind, steps=over)

        async def body() -> AsyncIterator[bytes]:
            try:
                async with aclosing(content):
                    async for part in content:
                        yield part
            except Exception as error:
                problem = error if isinstance(error, ReadingBroken) else session.cause_of(error)
                if problem is None:
                    raise
                yield orjson.dumps({"error": str(problem)}) + b"\n"

        return StreamingResponse(body(), media_type="application/x-ndjson")

    @api.get("/api/sessions/{session_id}/diff", response_class=StreamingResponse, responses=_CHANGES)
    async def read_difference(
        session_id: str,
        start: Annotated[Step, Query(alias="from")] = 0,
        end: Annotated[Step | None, Query(alias="to")] = None,
    ) -> StreamingResponse:
        """Return the net row changes between the states after two steps (0: the start; without `to`: now).

        If an app's version has changed since the session, or its source, was created, the header `Soundstage-Versions` lists
        it: later steps were answered by other rules than earlier ones.
        """
        session = await sessions.by_id(session_id)
        across = describe_changes(moved_on(read_versions(session.context.connection)))
        _check_step(session, start)
        _check_step(session, end)
        over = abs((journal.last_step(session.context) if end is None else end) - start)
        content = await reader.parts(session, exports.changes, start, end, steps=over)
        headers = {HEADER: across} if across else None
        return StreamingResponse(content, media_type="application/json", headers=headers)


def _catalogue_routes(api: FastAPI, upstreams: Upstreams) -> None:
    @api.get("/api/apps")
    async def list_apps() -> list[models.AppShown]:
        """List the apps of this gateway, and its upstreams."""
        simulated = [
            models.AppShown(
                name=a.name,
                title=a.title,
                category=a.category,
                description=a.description,
                tools=len(a.tools),
                unfinished=list(a.unfinished),
                unanswered=a.silent,
                version=a.version,
                general_faults=[kind for kind in GENERAL if kind not in fault_words(a.name).own],
            )
            for a in load_apps().values()
        ]
        beside = [
            models.AppShown(
                name=u.name,
                title=u.title,
                category=CATEGORY,
                description=u.description,
                tools=len(u.tools),
                general_faults=list(GENERAL),
                status=u.status,
                reason=u.reason,
            )
            for u in upstreams.all()
        ]
        return simulated + beside

    @api.get("/api/apps/{app}/tools")
    async def list_tools(app: str) -> list[models.ToolShown]:
        """List an app's tools with their schemas."""
        upstream = upstreams.find(app)
        listed_app = load_app(app) if upstream is None else upstream_app(upstream)
        return [
            models.ToolShown(
                name=t.name,
                prefixed_name=t.prefixed_name if isinstance(t, UpstreamTool) else listed_app.prefixed(t.name),
                description=t.shown_description,
                effect=t.effect,
                entity=t.entity,
                input_schema=t.input_schema,
                answered_by=None if isinstance(t, UpstreamTool) else t.answered_by,
            )
            for t in listed_app.tools.values()
        ]


def _search_route(api: FastAPI, finder: ToolFinder, upstreams: Upstreams) -> None:
    @api.get("/api/search")
    async def search_tools(
        q: Annotated[
            str, Query(min_length=1, max_length=MAX_QUERY, description="the action that the tool should perform")
        ],
        k: Annotated[int, Query(ge=1, le=MAX_RESULTS)] = DEFAULT_RESULTS,
        app: str | None = None,
    ) -> list[models.ToolFound]:
        """Find the tools of all apps or of one that match a query, best first."""
        if not q.strip():
            raise BadRequest("q: it is empty; say what the tool should do, such as 'send a message to a channel'")
        every = upstreams.toolsets.with_upstreams(shared_toolset(tuple(load_apps())), upstreams.all())
        wanted = None if app is None else app if upstreams.find(app) is not None else load_app(app).name
        matches = list(every.targets.items())
        keep = None if wanted is None else [target.app.name == wanted for _, target in matches]
        hits = await finder.find(every.catalogue, q, k, keep)
        return [_tool_hit(*matches[hit.position], hit.score) for hit in hits]


def _tool_hit(prefixed_name: str, target: Target, score: float) -> models.ToolFound:
    tool = target.app.tools[target.tool]
    return models.ToolFound(
        app=target.app.name,
        name=tool.name,
        prefixed_name=prefixed_name,
        description=first_sentence(tool.description),
        score=round(score, 3),
        input_schema=tool.input_schema,
    )


def _check_step(session: Session, step: int | None) -> None:
    if step is not None:
        try:
            journal.check_step(session.context, step)
        except ContextError as error:
            raise HTTPException(404, str(error)) from None


def _shown(record: SessionRecord, at: Addresses, beside: list[str]) -> models.SessionShown:
    return models.SessionShown(**_address(record, at, beside), durability=record.durability)


def _silent(record: SessionRecord) -> dict[str, dict[str, Literal["engine", "none"]]]:
    """Return the tools of a session's apps that have no kernel. Broken apps are skipped."""
    modes: dict[str, dict[str, Literal["engine", "none"]]] = {}
    for app in record.apps:
        with contextlib.suppress(BrokenApp, UnknownApp):
            if silent := load_app(app).silent:
                modes[app] = silent
    return modes


def _activity(of: ListedSession) -> models.Activity:
    totals, last = of.totals, None
    if totals is None:
        return models.Activity(step=None, calls=None, failed=None, faults=None, last=None, problem=of.state)
    if totals.last_app is not None and totals.last_tool is not None and totals.last_at_ms is not None:
        when = models.moment(totals.last_at_ms)
        last = models.LastCall(app=totals.last_app, tool=totals.last_tool, client=totals.last_client, at=when)
    return models.Activity(
        step=totals.step, calls=totals.calls, failed=totals.failed, faults=totals.faults, last=last, problem=None
    )


def _detail(session: Session, at: Addresses, beside: list[str]) -> models.SessionDetail:
    summary = session.summary()
    return models.SessionDetail(
        **_address(session.record, at, beside),
        durability=session.durability,
        step=summary.step,
        clock=_clock(summary.clock),
        versions=summary.versions,
    )


def _address(of: SessionRecord, at: Addresses, beside: list[str]) -> dict[str, Any]:
    return {
        "id": of.id,
        "unanswered": _silent(of),
        "handle": at.handle(of),
        "name": of.name,
        "world": of.world,
        "user": of.user,
        "seed": of.seed,
        "tools": of.tools,
        "unavailable": of.unavailable,
        "mcp_url": at.mcp(at.handle(of)),
        "web_url": at.page(of),
        "apps": {app: at.mcp(at.handle(of), app) for app in (*of.apps, *beside)},
        "created": models.moment(of.created_ms),
        "expires": None if of.expires_ms is None else models.moment(of.expires_ms),
    }


def _seat(seat: Seat, at: Addresses, beside: list[str]) -> models.SeatShown:
    return models.SeatShown(
        user=seat.user,
        handle=seat.handle,
        mcp_url=at.mcp(seat.handle),
        apps={app: at.mcp(seat.handle, app) for app in (*seat.apps, *beside)},
        created=models.moment(seat.created_ms),
    )


def _clock(clock: Clock) -> models.ClockShown:
    return models.ClockShown(
        mode=clock.mode, now=models.moment(clock.now_ms()), tick_ms=clock.tick_ms, scale=clock.scale
    )


def _snapshot(record: SnapshotRecord) -> models.SnapshotShown:
    return models.SnapshotShown(id=record.id, step=record.step, created=models.moment(record.created_ms))
