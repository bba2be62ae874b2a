"""Shared parts of all pages: layout, headers, access control and error pages."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from soundstage.contexts.engine.problems import ContextTaken
from soundstage.gateway.access import Access, Visitor
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.cluster.router import routing_of
from soundstage.gateway.delivery import ClientGone, unless_gone
from soundstage.gateway.inspection.reader import Reader
from soundstage.gateway.journal.lines import actor
from soundstage.gateway.journal.overview import TotalsCache
from soundstage.gateway.log import log
from soundstage.gateway.refusals import INTERNAL, REFUSALS, count_refusal, headers_of, status_of
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.problems import OwnedElsewhere
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.upstream.upstreams import Upstreams
from soundstage.gateway.web import clocks, show

# A page: a function from a request to a response.
Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]

FOLDER = Path(__file__).parent
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_VISITOR = "soundstage.visitor"


# A link in the header of every page: its path and its label.
Section = tuple[str, str]

SECTIONS: tuple[Section, ...] = (("/sessions", "Sessions"), ("/search", "Search"), ("/library", "Library"))


def environment(*further: Path) -> Environment:
    """Create a template environment with autoescape: the gateway's templates, and those of further folders."""
    made = Environment(
        loader=FileSystemLoader([FOLDER / "templates", *further]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(show.FILTERS | clocks.FILTERS | {"actor": actor})
    return made


@dataclass(frozen=True, slots=True)
class Web:
    """Builds pages and routes. `sections` are the links in their header."""

    sessions: Sessions
    settings: Settings
    access: Access
    calls: CallService
    finder: ToolFinder
    upstreams: Upstreams
    environment: Environment
    tally: TotalsCache
    reader: Reader
    sections: Sequence[Section] = SECTIONS

    def route(self, path: str, endpoint: Endpoint, *methods: str) -> Route:
        """Create a page route that requires access to the control plane."""
        return Route(path, self._guarded(endpoint), methods=methods or ("GET",))

    async def session(self, request: Request) -> Session:
        """Return the session in the request's path."""
        return await self.sessions.by_id(request.path_params["session"])

    def page(
        self, request: Request, template: str, *, title: str, twin: str | None, status: int = 200, **data: Any
    ) -> Response:
        """Render a complete page; `twin` is the address of the same content as JSON."""
        visitor: Visitor = request.scope[_VISITOR]
        text = self.environment.get_template(template).render(
            title=title,
            twin=twin,
            path=request.url.path,
            sections=self.sections,
            address=address,
            csrf=self.access.form_token(visitor),
            signed_in=visitor.signed_in,
            **data,
        )
        return HTMLResponse(text, status_code=status)

    def fragment(self, template: str, **data: Any) -> Markup:
        """Render a part of a page."""
        return Markup(self.environment.get_template(template).render(address=address, **data))  # noqa: S704 autoescaped

    def unguarded(self, path: str, endpoint: Endpoint, *methods: str) -> Route:
        """Create a page route without access control, for signing in."""
        return Route(path, self._framed(endpoint), methods=methods or ("GET",))

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        async def answer(request: Request) -> Response:
            if not self.access.allowed(request, request.scope[_VISITOR]):
                if request.method != "GET":
                    raise HTTPException(401, "sign in first")
                if not self.access.needs_token:
                    raise HTTPException(401, "without a token the pages answer this machine alone; start with --token")
                return RedirectResponse(address("/login", next=_place(request)), 303)
            return await endpoint(request)

        return self._framed(answer)

    def _framed(self, endpoint: Endpoint) -> Endpoint:
        async def answer(request: Request) -> Response:
            visitor = request.scope[_VISITOR] = self.access.visitor(request)
            why: Exception | None = None
            try:
                if request.method == "POST":
                    await self._check_form(request, visitor)
                answer = endpoint(request)
                response = await (unless_gone(request.receive, answer) if request.method == "GET" else answer)
            except ClientGone:
                return Response(status_code=499)
            except (OwnedElsewhere, ContextTaken) as error:
                routing_of(request.scope).elsewhere = error
                return Response()
            except HTTPException as error:
                response = self._problem(request, error.status_code, error.detail)
            except tuple(REFUSALS) as error:
                count_refusal(error)
                why, response = error, self._problem(request, status_of(error), str(error))
            except Exception as error:
                why = problem = self.sessions.cause_of(error, request.path_params.get("session", ""))
                if problem is not None:
                    response = self._problem(request, status_of(problem), str(problem))
                else:
                    log.error("page failed", method=request.method, path=request.url.path, exc_info=error)
                    response = self._problem(request, 500, INTERNAL)
            response.headers.update({**HEADERS, **headers_of(response.status_code, why)})
            response.headers.setdefault("Cache-Control", "no-store")
            if "set-cookie" not in response.headers and visitor.new:
                self.access.remember(request, response, visitor)
            return response

        return answer

    async def _check_form(self, request: Request, visitor: Visitor) -> None:
        form = await request.form(max_files=0, max_fields=2000, max_part_size=self.settings.max_body)
        if form.get("csrf") != self.access.form_token(visitor):
            raise HTTPException(
                403, "this form is not from this page, or is too old; go back, reload and send it again"
            )

    def _problem(self, request: Request, status: int, message: str) -> Response:
        title = HTTPStatus(status).phrase
        return self.page(request, "problem.html.jinja", title=title, twin=None, status=status, message=message)


def address(path: str, /, **query: object) -> str:
    """Build an address with a query; None values are omitted."""
    given = {name: value for name, value in query.items() if value is not None}
    return quote(path, safe="/:@-._~") + (f"?{urlencode(given)}" if given else "")


def number(request: Request, name: str, default: int | None = None) -> int | None:
    """Read a whole number from the query.

    Raises:
        HTTPException: 400, if it is not a number.
    """
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise HTTPException(400, f"{name}={text[:40]!r} is not a step or count; give a whole number")
    return int(text)


def _place(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
