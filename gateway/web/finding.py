"""Search in a session: a text in its calls and objects, and calls by app, tool, outcome, fault and effect."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.inspection.find import LONGEST_TEXT, ObjectFound, find
from soundstage.gateway.journal.overview import StepFilter, tools_with
from soundstage.gateway.web.apps import places_of
from soundstage.gateway.web.page import Web, address, number
from soundstage.gateway.web.timeline import EFFECTS, about, rows

_OUTCOMES = {"true": True, "false": False}
_FILTERS = ("app", "tool", "ok", "fault", "effect")


def routes(web: Web) -> list[BaseRoute]:
    """Return the page for searching a session."""

    async def show(request: Request) -> Response:
        session = await web.session(request)
        text = request.query_params.get("q", "").strip()
        chosen = {name: request.query_params.get(name, "").strip() or None for name in _FILTERS}
        chosen["ok"] = chosen["ok"] if chosen["ok"] in _OUTCOMES else None
        chosen["effect"] = chosen["effect"] if chosen["effect"] in EFFECTS else None
        before = number(request, "before")
        searched = bool(text or any(chosen.values()))
        wanted = _wanted(chosen, session.apps)
        matches = await find(web.reader, session, text, wanted, before=before) if searched else None
        steps = [] if matches is None else [call.step for call in matches.calls]
        excerpts = {} if matches is None else {call.step: call.excerpt for call in matches.calls}
        path = f"/sessions/{session.id}/search"
        filters = {"q": text or None, **chosen}
        return web.page(
            request,
            "finding.html.jinja",
            title="Find in the session",
            twin=address(f"/api{path}", before=before, **filters),
            tab="search",
            text=text,
            longest=LONGEST_TEXT,
            chosen=chosen,
            effects=EFFECTS,
            kinds=list(KINDS),
            found=matches,
            rows=rows(web, session, steps, excerpts),
            objects=[] if matches is None else [(o, *_places(session.context, session.id, o)) for o in matches.objects],
            older=None if matches is None or matches.older is None else address(path, before=matches.older, **filters),
            before=before,
            **await about(web, session, request),
        )

    return [web.route("/sessions/{session}/search", show)]


def _wanted(chosen: dict[str, str | None], apps: tuple[str, ...]) -> StepFilter:
    effect, fault = chosen["effect"], chosen["fault"]
    return StepFilter(
        chosen["app"],
        None if effect is None else tools_with(effect, apps),
        chosen["tool"],
        _OUTCOMES.get(chosen["ok"] or ""),
        faulted=fault is not None,
        fault=None if fault == "any" else fault,
    )


def _places(context: Context, session_id: str, match: ObjectFound) -> tuple[str, str | None]:
    """Return an object's addresses: in the tables, and on the app's own page if it shows such objects."""
    tables, own = places_of(context, match.app, match.entity, tuple(match.key))
    path = f"/sessions/{session_id}/apps/{match.app}"
    return address(path, **tables), None if own is None else address(path, **own)
