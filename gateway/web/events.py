"""Server-sent events for open pages.

Calls do not know about open pages. A page's stream polls the session's step a few times a second, which takes some microseconds
and also notices changes by other processes (`soundstage stdio`); the amount that it then sends is limited.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import orjson
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway.journal.overview import newest_steps, totals
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.problems import OwnedElsewhere, UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web.clocks import moment
from soundstage.gateway.web.page import Web, number
from soundstage.gateway.web.session_list import PER_PAGE
from soundstage.gateway.web.timeline import Filter, rows

_CHECK_S = 0.25
_LIST_LOOK_S = 2.0
_MOST_ROWS = 10  # rows per poll; of more, the newest are sent with a note about the others
_PING_S = 15


def routes(web: Web) -> list[BaseRoute]:
    """Return the event streams of pages."""

    async def session_events(request: Request) -> Response:
        session = await web.session(request)
        after = number(request, "after", 0) or 0
        return _stream(_calls(web, session.record, after, Filter.of(request)))

    async def list_events(request: Request) -> Response:
        return _stream(_list(web, number(request, "offset", 0) or 0))

    return [
        web.route("/sessions/events", list_events),
        web.route("/sessions/{session}/events", session_events),
    ]


async def _calls(web: Web, record: SessionRecord, after: int, chosen: Filter) -> AsyncIterator[ServerSentEvent]:
    """Yield an event `calls` for new steps, with their rows and the increments of the counts.

    `rewound` is sent when steps were removed, `gone` at the end.
    """
    seen = after
    while True:
        try:
            # Looked up each time, because it may have been deleted, rebuilt, or closed.
            session = web.sessions.live(record.handle) or await web.sessions.by_id(record.id)
            await session.wait_until_free()
            step = journal.last_step(session.context)
            if step < seen:
                seen = step
                yield ServerSentEvent(event="rewound", data=str(step))
            elif step > seen:
                with session.in_use():
                    seen, event = await _new_calls(web, session, seen, chosen)
                yield event
        except OwnedElsewhere:
            return  # it has moved; the browser reconnects and is forwarded
        except RegistryUnavailable:
            pass  # its state is unknown; a browser that gets an error now would not reconnect
        except (UnknownSession, ContextError) as error:
            yield ServerSentEvent(event="gone", data=str(error))
            return
        except Exception as error:
            if (problem := web.sessions.cause_of(error, record.id)) is None:
                raise
            yield ServerSentEvent(event="gone", data=str(problem))
            return
        await asyncio.sleep(_CHECK_S)


async def _new_calls(web: Web, session: Session, seen: int, chosen: Filter) -> tuple[int, ServerSentEvent]:
    """Return the newest step covered, and the event."""
    steps = await newest_steps(session.context, chosen.wanted(session), limit=_MOST_ROWS + 1, after=seen)
    shown = steps[:_MOST_ROWS]
    counted = await totals(session.context, after=seen)
    payload = {
        "step": counted.step,
        "clock": moment(session.context.read_meta().clock.now_ms()),
        "calls": counted.calls,
        "failed": counted.failed,
        "faults": counted.faults,
        "missed": len(steps) > _MOST_ROWS,
        "rows": str(rows(web, session, shown)),
    }
    return counted.step, ServerSentEvent(event="calls", data=orjson.dumps(payload).decode(), id=str(counted.step))


async def _list(web: Web, offset: int) -> AsyncIterator[ServerSentEvent]:
    """Yield an event `changed` whenever the list of sessions changes."""
    known: object = None
    while True:
        try:
            records, total = await web.sessions.page(offset=offset, limit=PER_PAGE)
        except RegistryUnavailable:
            now = known
        else:
            now = (total, [(r.id, _step(web, r)) for r in records])
        if known is not None and now != known:
            yield ServerSentEvent(event="changed", data="")
        known = now
        await asyncio.sleep(_LIST_LOOK_S)


def _step(web: Web, record: SessionRecord) -> int | None:
    """Return the newest step of a session that is open in this process, otherwise None."""
    try:
        session = web.sessions.live(record.handle)
        return None if session is None else journal.last_step(session.context)
    except (UnknownSession, ContextError):
        return None
    except Exception as error:
        if web.sessions.cause_of(error, record.id) is None:
            raise
        return None


def _stream(events: AsyncIterator[ServerSentEvent]) -> Response:
    return EventSourceResponse(events, ping=_PING_S)
