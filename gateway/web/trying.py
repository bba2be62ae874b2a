"""The page to try a tool: a form from its schema, and a call as the agent would make it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from soundstage.gateway.calls.toolset import app_toolset
from soundstage.gateway.journal.lines import Line
from soundstage.gateway.journal.overview import shown
from soundstage.gateway.sessions.problems import AppNotInSession, BadRequest
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web.forms import arguments_of, form_of, read_json
from soundstage.gateway.web.page import Web, address, number
from soundstage.gateway.web.timeline import about
from soundstage.servers.catalogue import App, app_names, load_app
from soundstage.servers.tool import Tool


def routes(web: Web) -> list[BaseRoute]:
    """Return the pages for trying a tool."""

    async def show(request: Request) -> Response:
        session = await web.session(request)
        line = _made(session, number(request, "step"))
        app, tool = _chosen(session, request, line)
        return web.page(
            request,
            "try.html.jinja",
            title="Try a tool" if tool is None else f"Try {tool.name}",
            twin=f"/api/apps/{app.name}/tools",
            tab="try",
            chosen_app=app,
            tool=tool,
            fields=[] if tool is None else form_of(tool, None if line is None else line["arguments"]),
            arguments=None if line is None else line["arguments"],
            line=line,
            **await about(web, session, request),
        )

    async def call(request: Request) -> Response:
        session = await web.session(request)
        session.check_changeable()
        form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
        app, tool = _chosen(session, request, None)
        if tool is None:
            raise BadRequest("choose a tool")
        written = form.get("json", "").strip()
        arguments = read_json(written, "JSON") if written else arguments_of(tool.input_schema, form)
        if not isinstance(arguments, dict):
            raise BadRequest("the arguments must be a JSON object")
        with session.in_use():
            made = await web.calls.make_call(session, app_toolset(app.name), tool.name, arguments)
        return RedirectResponse(
            address(f"/sessions/{session.id}/try", app=app.name, tool=tool.name, step=made.step) + "#reply", 303
        )

    return [web.route("/sessions/{session}/try", show), web.route("/sessions/{session}/try", call, "POST")]


def _chosen(session: Session, request: Request, line: Line | None) -> tuple[App, Tool | None]:
    """Return the app and tool of the query, or those of an earlier call."""
    own = [a for a in session.apps if a in app_names()]
    before = None if line is None else line["app"]
    name = request.query_params.get("app") or before or own[0]
    if name not in own:
        raise AppNotInSession(name, own)
    app = load_app(name)
    tool = request.query_params.get("tool") or (line["tool"] if line is not None and before == name else None)
    return app, None if tool is None else app.tools.get(tool)


def _made(session: Session, step: int | None) -> Line | None:
    calls = shown(session.context, [step]) if step else []
    return calls[0] if calls else None
