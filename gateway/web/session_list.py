"""The list of sessions, with actions: create, fork, reset, delete."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from soundstage.gateway.journal.activity import list_with_activity
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.sessions import NewSession
from soundstage.gateway.web.page import Web, address, number
from soundstage.servers.catalogue import app_names
from soundstage.worlds import list_worlds, own_folder

PER_PAGE = 50
_SEEDS = 2**63


def routes(web: Web) -> list[BaseRoute]:
    """Return the pages that list and create sessions."""

    async def show(request: Request) -> Response:
        offset = number(request, "offset", 0) or 0
        records, total = await web.sessions.page(offset=offset, limit=PER_PAGE)
        listed = await list_with_activity(web.sessions, web.tally, records)
        return web.page(
            request,
            "sessions.html.jinja",
            title="Sessions",
            twin=address("/api/sessions", offset=offset, limit=PER_PAGE, activity="true"),
            listed=listed,
            total=total,
            offset=offset,
            per_page=PER_PAGE,
            worlds=list_worlds(own_folder(web.settings.worlds)),
            apps=app_names(),
        )

    async def create(request: Request) -> Response:
        form = await request.form()
        chosen = tuple(str(a) for a in form.getlist("apps"))
        made = await web.sessions.create(
            NewSession(
                name=str(form.get("name", "")).strip() or None,
                world=str(form.get("world", "")),
                apps=chosen or None,
                user=str(form.get("user", "")).strip() or None,
                seed=_seed(str(form.get("seed", ""))),
            )
        )
        return _to(made.id)

    async def fork(request: Request) -> Response:
        form = await request.form()
        source = await web.session(request)
        step = str(form.get("step", ""))
        name = str(form.get("name", "")).strip() or None
        made = await web.sessions.fork(source, step=int(step) if step.isdigit() else None, name=name)
        return _to(made.id)

    async def reset(request: Request) -> Response:
        return _to((await web.sessions.reset_by_id(request.path_params["session"])).id)

    async def restore(request: Request) -> Response:
        session = await web.session(request)
        step = str((await request.form()).get("step", ""))
        if not step.isdigit():
            raise BadRequest("say which step to go back to")
        await web.sessions.restore_step(session, int(step))
        return _to(session.id)

    async def delete(request: Request) -> Response:
        await web.sessions.delete(request.path_params["session"])
        return RedirectResponse("/sessions", 303)

    return [
        web.route("/sessions", show),
        web.route("/sessions", create, "POST"),
        web.route("/sessions/{session}/fork", fork, "POST"),
        web.route("/sessions/{session}/reset", reset, "POST"),
        web.route("/sessions/{session}/restore", restore, "POST"),
        web.route("/sessions/{session}/delete", delete, "POST"),
    ]


def _seed(text: str) -> int:
    if not text.strip():
        return 0
    try:
        seed = int(text)
    except ValueError:
        raise BadRequest(f"{text[:40]!r} is not a seed; give a whole number") from None
    if not -_SEEDS <= seed < _SEEDS:
        raise BadRequest("a seed has at most 64 bits")
    return seed


def _to(session_id: str) -> Response:
    return RedirectResponse(f"/sessions/{session_id}", 303)
