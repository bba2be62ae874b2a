"""The control plane's routes for inspecting a session: search, SQL, and tables and the timeline as files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from soundstage.contexts.engine import journal
from soundstage.gateway.control.models import Moment, Strict
from soundstage.gateway.inspection import tables as files
from soundstage.gateway.inspection.find import LONGEST_TEXT, Excerpt, find
from soundstage.gateway.inspection.query import query
from soundstage.gateway.inspection.reader import Reader
from soundstage.gateway.journal.overview import StepFilter, shown, tools_with
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions

_CSV = "text/csv; charset=utf-8"
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "array"}}, "text/csv": {"schema": {"type": "string"}}}}
}


class ExcerptShown(BaseModel):
    """A place where a text was found: a field, and the text before, at and after the match."""

    field: str
    before: str
    match: str
    after: str


class CallFound(BaseModel):
    """A matching step; the journal has the complete step."""

    step: int
    at: Moment
    user: str | None
    client: str | None
    app: str | None
    tool: str
    ok: bool
    error_kind: str | None
    fault: str | None
    excerpt: ExcerptShown | None


class ObjectFound(BaseModel):
    """An object that contains the text; `key` has the values of its key in order."""

    app: str
    entity: str
    key: list[Any]
    excerpt: ExcerptShown


class SearchShown(BaseModel):
    """The matches in a session. `stopped` is a message if the search ended early."""

    calls: list[CallFound]
    older: int | None = Field(description="the step before which there are more: ask again with before=")
    objects: list[ObjectFound]
    more_objects: bool
    stopped: str | None


class QueryBody(Strict):
    """A statement to run on the session."""

    sql: str = Field(description="one SELECT; the tables are those that /tables lists")


class QueryShown(BaseModel):
    """The result of a statement; blobs are written as in SQL, x'00ff'. `cut` is a message if the result is incomplete."""

    columns: list[str]
    rows: list[list[str | int | float | None]]
    cut: str | None
    duration_us: int


class ColumnShown(BaseModel):
    """A column of a table."""

    name: str
    type: str


class TableShown(BaseModel):
    """A table of a session. `app` and `entity` are null for the session's own tables."""

    name: str
    app: str | None
    entity: str | None
    columns: list[ColumnShown]
    rows: int


def add_inspection_routes(api: FastAPI, sessions: Sessions, reader: Reader) -> None:
    """Add the routes to the control plane."""

    @api.get("/api/sessions/{session_id}/search")
    async def search_session(
        session_id: str,
        q: Annotated[str, Query(max_length=LONGEST_TEXT, description="a text; left out: all calls that fit")] = "",
        app: str | None = None,
        tool: str | None = None,
        ok: bool | None = None,
        fault: Annotated[str | None, Query(description="the kind that landed; `any` for all")] = None,
        effect: Literal["read", "create", "update", "delete", "other"] | None = None,
        before: Annotated[int | None, Query(ge=0, lt=2**31, description="a step")] = None,
    ) -> SearchShown:
        """Find a text in a session's calls and in its current objects; the newest calls first."""
        session = await sessions.by_id(session_id)
        wanted = StepFilter(
            app,
            None if effect is None else tools_with(effect, session.apps),
            tool,
            ok,
            faulted=fault is not None,
            fault=None if fault == "any" else fault,
        )
        matches = await find(reader, session, q, wanted, before=before)
        excerpts = {call.step: call.excerpt for call in matches.calls}
        return SearchShown(
            calls=[
                CallFound(
                    **{name: line[name] for name in CallFound.model_fields if name != "excerpt"},  # type: ignore[literal-required]
                    excerpt=_excerpt(excerpts[line["step"]]),
                )
                for line in shown(session.context, excerpts)
            ],
            older=matches.older,
            objects=[
                ObjectFound(app=o.app, entity=o.entity, key=o.key, excerpt=ExcerptShown(**_fields(o.excerpt)))
                for o in matches.objects
            ],
            more_objects=matches.more_objects,
            stopped=matches.stopped,
        )

    @api.post("/api/sessions/{session_id}/query")
    async def query_session(session_id: str, body: QueryBody) -> QueryShown:
        """Run one SELECT on the session's current state, read-only and within limits."""
        result = await query(reader, await sessions.by_id(session_id), body.sql)
        return QueryShown(columns=result.columns, rows=result.rows, cut=result.cut, duration_us=result.duration_us)

    @api.get("/api/sessions/{session_id}/tables")
    async def list_tables(session_id: str) -> list[TableShown]:
        """List a session's tables, the apps' first."""
        session = await sessions.by_id(session_id)
        listed = await reader.read(session, files.tables, objects=True)
        return [
            TableShown(
                name=t.name,
                app=t.app,
                entity=t.entity,
                columns=[ColumnShown(name=name, type=kind) for name, kind in t.columns],
                rows=t.rows,
            )
            for t in listed
        ]

    @api.get("/api/sessions/{session_id}/tables/{app}/{entity}", response_class=StreamingResponse, responses=_FILE)
    async def read_table(
        session_id: str, app: str, entity: str, format: Literal["json", "csv"] = "json"
    ) -> StreamingResponse:
        """Return a table as a file: a JSON list of its objects, or CSV.

        In CSV, texts that begin with = + - @ have a ' before them.
        """
        session = await sessions.by_id(session_id)
        _check_declared(session, app, entity)
        made = files.as_csv if format == "csv" else files.as_json
        content = await reader.parts(session, made, app, entity, objects=True)
        return _file(content, f"{session.record.name or session.id}-{app}-{entity}.{format}")

    @api.get("/api/sessions/{session_id}/journal.csv", response_class=StreamingResponse, responses=_FILE)
    async def read_timeline(session_id: str) -> StreamingResponse:
        """Return the journal as CSV, with nested values as JSON; /journal has the same as JSON lines."""
        session = await sessions.by_id(session_id)
        content = await reader.parts(session, files.timeline_csv, steps=journal.last_step(session.context))
        return _file(content, f"{session.record.name or session.id}-journal.csv")


def _check_declared(session: Session, app: str, entity: str) -> None:
    tables = session.context.tables_of(app)
    if entity not in tables.entities:
        raise HTTPException(404, f"{app} has no entity {entity[:100]!r}; it has: {', '.join(tables.entities)}")


def _file(content: AsyncIterator[bytes], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    kind = _CSV if name.endswith(".csv") else "application/json"
    return StreamingResponse(content, media_type=kind, headers=headers)


def _excerpt(of: Excerpt | None) -> ExcerptShown | None:
    return None if of is None else ExcerptShown(**_fields(of))


def _fields(of: Excerpt) -> dict[str, str]:
    return {"field": of.field, "before": of.before, "match": of.match, "after": of.after}
