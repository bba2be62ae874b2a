"""A session's data: its tables with their files, and SQL over them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from soundstage.gateway.inspection import query as sql
from soundstage.gateway.inspection.tables import tables
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.web.page import Web
from soundstage.gateway.web.timeline import about

_EXAMPLE = (
    "SELECT app, tool, count(*) AS calls, sum(NOT ok) AS failed\nFROM _journal GROUP BY app, tool ORDER BY calls DESC"
)


def routes(web: Web) -> list[BaseRoute]:
    """Return the page for SQL queries."""

    async def show(request: Request) -> Response:
        return await _page(request, _EXAMPLE, None, None)

    async def ask(request: Request) -> Response:
        """Run a statement. It is a form because of its token: another site's page cannot submit it."""
        statement = str((await request.form()).get("sql", ""))
        try:
            result = await sql.query(web.reader, await web.session(request), statement)
        except BadRequest as refused:
            return await _page(request, statement, None, str(refused))
        return await _page(request, statement, result, None)

    async def _page(request: Request, statement: str, result: sql.QueryResult | None, wrong: str | None) -> Response:
        session = await web.session(request)
        return web.page(
            request,
            "data.html.jinja",
            title="Data",
            twin=f"/api/sessions/{session.id}/tables",
            status=200 if wrong is None else 400,
            tab="data",
            statement=statement,
            found=result,
            wrong=wrong,
            limits=sql,
            tables=await web.reader.read(session, tables, objects=True),
            **await about(web, session, request),
        )

    return [web.route("/sessions/{session}/data", show), web.route("/sessions/{session}/data", ask, "POST")]
