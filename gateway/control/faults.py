"""The control plane's routes about faults: kinds, presets, a session's schedule, its ledger, pairs and reports."""

from __future__ import annotations

from typing import Annotated, Any, cast

import orjson
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.cluster.forward import Forwarder
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.ledger import Entry
from soundstage.gateway.faults.picture import picture
from soundstage.gateway.faults.report import report
from soundstage.gateway.faults.schedule import ScheduleMistakes, preset, preset_names, read_yaml, with_lines
from soundstage.gateway.inspection import exports
from soundstage.gateway.inspection.reader import Reader
from soundstage.gateway.sessions.problems import OwnedElsewhere
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions

_SCHEDULE = {
    "requestBody": {
        "required": True,
        "description": "a schedule {rules, budget, turns}, the name of a preset, {preset: name}, or `off`",
        "content": {"application/json": {"schema": {}}, "application/yaml": {"schema": {}}},
    }
}


_LEDGER: dict[int | str, dict[str, Any]] = {200: {"model": list[Entry]}}
_REPORTED_AT_ONCE = 64 * 1024
"""Bytes of ledgers that are reported without a reader: some dozens of faults."""


class FaultKind(BaseModel):
    """A kind of fault: its description and its attributes (JSON Schema)."""

    name: str
    level: str
    description: str
    attributes: dict[str, Any]
    lasts: int = Field(
        description="matching calls that it hits unless a rule says otherwise; 2147483648 means permanently"
    )


class PresetShown(BaseModel):
    """A schedule that Soundstage includes."""

    name: str
    title: str
    description: str
    schedule: dict[str, Any]


class FaultsShown(BaseModel):
    """The kinds of fault and the presets."""

    faults: list[FaultKind]
    presets: list[PresetShown]


class ScheduleShown(BaseModel):
    """A session's current schedule (None: no faults), and its counters: calls, occurrences, active outages."""

    schedule: dict[str, Any] | None
    counters: dict[str, int]


class MistakeShown(BaseModel):
    """A mistake in a schedule, with its path and, in a YAML file, its line."""

    place: str
    problem: str
    line: int | None


class PairBody(BaseModel):
    """The step with the fault whose two outcomes are compared."""

    model_config = ConfigDict(extra="forbid")

    at: Annotated[int, Field(ge=1, lt=2**31)]


class Fork(BaseModel):
    """One of a pair of sessions."""

    id: str
    handle: str
    mcp_url: str


class PairShown(BaseModel):
    """Two sessions from just before the same call: it meets the fault in one, and not in the other."""

    with_fault: Fork
    without_fault: Fork


def add_fault_routes(api: FastAPI, sessions: Sessions, forwarder: Forwarder, reader: Reader) -> None:
    """Add the routes to the control plane."""

    @api.get("/api/faults")
    async def list_faults() -> FaultsShown:
        """List the kinds of fault with their attributes, and the presets."""
        return FaultsShown(faults=[_kind(name) for name in KINDS], presets=[_preset(name) for name in preset_names()])

    @api.get("/api/faults/report")
    async def show_report(
        request: Request,
        session: Annotated[list[str], Query(min_length=1, description="ids or names; repeatable")],
        picture_: Annotated[bool, Query(alias="picture", description="the report as SVG")] = False,
    ) -> Response:
        """Report how the agents of these sessions coped with faults, by kind, with 95 % confidence intervals."""
        ledgers = [await _ledger_of(one, sessions, forwarder, reader, request) for one in session]
        kind = "image/svg+xml" if picture_ else "application/json"
        if sum(map(len, ledgers)) <= _REPORTED_AT_ONCE:
            return Response(_report(ledgers, picture_), media_type=kind)
        async with reader.readers.turn() as turn:
            return Response(await turn.answer(_report, ledgers, picture_), media_type=kind)

    @api.get("/api/sessions/{session_id}/faults")
    async def show_schedule(session_id: str) -> ScheduleShown:
        """Return the session's current fault schedule."""
        return _schedule_of(await sessions.by_id(session_id))

    @api.put("/api/sessions/{session_id}/faults", openapi_extra=_SCHEDULE)
    async def set_schedule(session_id: str, request: Request) -> ScheduleShown:
        """Set the schedule from the next call on, as a separate step; an invalid one is rejected as a whole."""
        session = await sessions.by_id(session_id)
        wanted, lines = read_yaml(await request.body())
        try:
            sessions.set_faults(session, wanted)
        except ScheduleMistakes as error:
            yaml = "yaml" in request.headers.get("content-type", "")
            raise with_lines(error, lines) if yaml else error from None
        return _schedule_of(session)

    @api.get("/api/sessions/{session_id}/faults/ledger", response_class=StreamingResponse, responses=_LEDGER)
    async def show_ledger(session_id: str) -> StreamingResponse:
        """Return every fault of the session: the draw, whether it took effect, the agent's reply, and its recovery."""
        session = await sessions.by_id(session_id)
        content = await reader.parts(session, exports.ledger_of, steps=journal.last_step(session.context))
        return StreamingResponse(content, media_type="application/json")

    @api.post("/api/sessions/{session_id}/faults/pair", status_code=201)
    async def make_pair(session_id: str, body: PairBody, request: Request) -> PairShown:
        """Fork the session twice from just before a fault: it occurs again in one fork, and not in the other."""
        at = Addresses.seen_from(request, request.app.state.settings)
        faulty, spared = await sessions.fork_pair(await sessions.by_id(session_id), body.at)
        return PairShown(with_fault=_fork(faulty, at), without_fault=_fork(spared, at))


def _report(ledgers: list[bytes], as_picture: bool) -> bytes:
    """Create the report on JSON ledgers, as JSON or as SVG."""
    made = report(cast(list[list[Entry]], [orjson.loads(one) for one in ledgers]))
    return picture(made).encode() if as_picture else orjson.dumps(made)


async def _ledger_of(
    session_id: str, sessions: Sessions, forwarder: Forwarder, reader: Reader, request: Request
) -> bytes:
    """Fetch a session's ledger as JSON from its gateway: the sessions of a report may be at several gateways."""
    try:
        session = await sessions.by_id(session_id)
        try:
            steps = journal.last_step(session.context)
            return b"".join([p async for p in await reader.parts(session, exports.ledger_of, steps=steps)])
        except Exception as error:
            raise session.cause_of(error) or error from None
    except OwnedElsewhere as held:
        path = f"/api/sessions/{held.record.id}/faults/ledger"
        try:
            return await forwarder.fetch(held, path, request.headers.raw)
        except OwnedElsewhere:
            raise ContextError(str(held)) from None


async def mistaken_schedule(request: Request, error: Exception) -> Response:
    """Report every mistake of a rejected schedule with its path."""
    mistakes = cast(ScheduleMistakes, error).mistakes
    shown = [MistakeShown(place=m.place, problem=m.problem, line=m.line).model_dump() for m in mistakes]
    return JSONResponse({"error": str(error), "mistakes": shown}, status_code=400)


def _kind(name: str) -> FaultKind:
    fault = KINDS[name]
    schema = fault.model_json_schema()
    members = {n: {k: v for k, v in s.items() if k != "title"} for n, s in schema.get("properties", {}).items()}
    return FaultKind(
        name=name, level=fault.level, description=str(fault.__doc__), attributes=members, lasts=fault.lasts
    )


def _preset(name: str) -> PresetShown:
    document = preset(name)
    return PresetShown(name=name, title=document["title"], description=document["description"], schedule=document)


def _schedule_of(session: Session) -> ScheduleShown:
    schedule, counters = schedule_store.current(session.context)
    return ScheduleShown(schedule=None if schedule is None else dict(schedule), counters=counters)


def _fork(session: Session, at: Addresses) -> Fork:
    record = session.record
    return Fork(id=record.id, handle=record.handle, mcp_url=at.mcp(record.handle))
