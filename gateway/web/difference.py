"""Differences between two steps of a session, field by field."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.journal import Change
from soundstage.contexts.engine.store import Context, read_versions
from soundstage.gateway.journal.lines import difference
from soundstage.gateway.journal.versions import describe_changes, moved_on
from soundstage.gateway.web.page import Web, number
from soundstage.gateway.web.timeline import about

PER_PAGE = 40


def routes(web: Web) -> list[BaseRoute]:
    """Return the page of the changes between two steps."""

    async def show(request: Request) -> Response:
        session = await web.session(request)
        newest = journal.last_step(session.context)
        start = number(request, "from", 0) or 0
        end = number(request, "to", newest)
        offset = number(request, "offset", 0) or 0
        over = abs((newest if end is None else end) - start)
        total, changes = await web.reader.read(session, _some, start, end, offset, steps=over)
        return web.page(
            request,
            "difference.html.jinja",
            title=f"What changed between step {start} and step {end}",
            twin=f"/api/sessions/{session.id}/diff?from={start}&to={end}",
            tab="difference",
            start=start,
            end=end,
            newest=newest,
            offset=offset,
            per_page=PER_PAGE,
            across=describe_changes(moved_on(read_versions(session.context.connection))),
            total=total,
            changes=[(c, fields(c)) for c in changes],
            **await about(web, session, request),
        )

    return [web.route("/sessions/{session}/diff", show)]


def _some(context: Context, start: int, end: int | None, offset: int) -> tuple[int, list[Change]]:
    """Return the number of changes, and one page of them."""
    changes = difference(context, start=start, end=end)
    return len(changes), changes[offset : offset + PER_PAGE]


def fields(change: Change) -> list[tuple[str, Any, Any]]:
    """Return each field with its old and new value; None if the row does not exist."""
    before, after = change["before"] or {}, change["after"] or {}
    return [(name, before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]
