"""A session's faults: the current schedule with its switches, and the ledger."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.ledger import Entry, ledger
from soundstage.gateway.faults.schedule import preset, preset_names, read_yaml
from soundstage.gateway.web.page import Web, number
from soundstage.gateway.web.show import pretty
from soundstage.gateway.web.timeline import about

PER_PAGE = 50


def routes(web: Web) -> list[BaseRoute]:
    """Return the page of a session's faults."""

    async def show(request: Request) -> Response:
        session = await web.session(request)
        offset = number(request, "offset", 0) or 0
        steps = journal.last_step(session.context)
        total, entries = await web.reader.read(session, _some, offset, steps=steps)
        document, counters = schedule_store.current(session.context)
        return web.page(
            request,
            "faults.html.jinja",
            title="Faults",
            twin=f"/api/sessions/{session.id}/faults",
            tab="faults",
            schedule=document,
            text="" if document is None else pretty(document),
            counters=counters,
            entries=entries,
            total=total,
            offset=offset,
            per_page=PER_PAGE,
            presets=[(name, preset(name)) for name in preset_names()],
            kinds=[(name, kind.level, kind.__doc__) for name, kind in KINDS.items()],
            **await about(web, session, request),
        )

    async def change(request: Request) -> Response:
        """Set a preset, an entered schedule, or the current one without one of its rules."""
        session = await web.session(request)
        form = await request.form()
        wanted, _ = read_yaml(str(form.get("schedule", "")))
        if dropped := str(form.get("without", "")):
            document = schedule_store.current(session.context)[0] or {}
            rules = [r for i, r in enumerate(document.get("rules", [])) if str(i) != dropped]
            wanted = {**document, "rules": rules} if rules else "off"
        web.sessions.set_faults(session, wanted)
        return RedirectResponse(f"/sessions/{session.id}/faults", 303)

    async def pair(request: Request) -> Response:
        """Create two forks from just before a fault, one with the fault and one without. Shows the one without it."""
        session = await web.session(request)
        step = str((await request.form()).get("step", ""))
        _, spared = await web.sessions.fork_pair(session, int(step) if step.isdigit() else 0)
        return RedirectResponse(f"/sessions/{spared.id}", 303)

    return [
        web.route("/sessions/{session}/faults", show),
        web.route("/sessions/{session}/faults", change, "POST"),
        web.route("/sessions/{session}/faults/pair", pair, "POST"),
    ]


def _some(context: Context, offset: int) -> tuple[int, list[Entry]]:
    """Return the number of faults, and one page of them, newest first."""
    entries = ledger(context)
    entries.reverse()
    return len(entries), entries[offset : offset + PER_PAGE]
