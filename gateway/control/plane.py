"""Building blocks of JSON planes over HTTP: bodies read within limits, and errors in one format."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Annotated, Any, cast

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from soundstage.bounded_input import Refused, read_json
from soundstage.contexts.engine.problems import ContextTaken
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.cluster.router import routing_of
from soundstage.gateway.control import models
from soundstage.gateway.control.faults import mistaken_schedule
from soundstage.gateway.delivery import ClientGone, unless_gone
from soundstage.gateway.faults.schedule import ScheduleMistakes
from soundstage.gateway.log import log
from soundstage.gateway.refusals import INTERNAL, REFUSALS, count_refusal, headers_of, status_of
from soundstage.gateway.sessions.problems import BadRequest, OwnedElsewhere
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings

_PROBLEM = models.Problem.__name__
# Referenced by name: from a model, FastAPI would build a validator for every route and status, a third of the start time of the
# planes.
_PROBLEM_CONTENT = {"application/json": {"schema": {"$ref": f"#/components/schemas/{_PROBLEM}"}}}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": _PROBLEM_CONTENT}
    for status, text in {
        400: "The request cannot be done as asked.",
        401: "The control plane's token is missing or wrong.",
        403: "The control plane has to have a token for this.",
        404: "No such session, app or step.",
        409: "The name is taken, or the context is in use.",
        410: "The session has expired.",
        413: "The body is too large.",
        415: "The body is neither JSON nor YAML.",
        422: "The body or a parameter does not have the right shape.",
        429: "There are too many sessions, or requests a second.",
        503: "The session's context, or the registry, cannot be used.",
        507: "The disk has no room for it, or the session has grown to its limit.",
    }.items()
}
_DATA = ("application/json", "application/yaml", "application/x-yaml", "text/yaml")


async def _addresses(request: Request) -> Addresses:  # without `async` FastAPI would run it in a thread
    return Addresses.seen_from(request, request.app.state.settings)


At = Annotated[Addresses, Depends(_addresses)]


def new_plane(
    title: str,
    authorize: Callable[[Request], Awaitable[None]],
    sessions: Sessions,
    settings: Settings,
    *,
    message_of: Callable[[Exception], str] = str,
) -> FastAPI:
    """A plane without routes. `authorize` raises HTTPException for a request without a credential that opens the plane.

    `message_of` returns the message with which an exception of `REFUSALS` is reported to the client.
    """
    api = FastAPI(
        title=title,
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(authorize), Depends(_body_is_data)],
        responses=_PROBLEMS,
    )
    api.state.settings = settings
    api.state.sessions = sessions
    api.state.message_of = message_of
    api.router.route_class = _Route
    for kind in REFUSALS:
        api.add_exception_handler(kind, _refused)
    api.add_exception_handler(OwnedElsewhere, _elsewhere)
    api.add_exception_handler(ContextTaken, _elsewhere)
    api.add_exception_handler(ScheduleMistakes, mistaken_schedule)
    api.add_exception_handler(RequestValidationError, _misshapen)
    api.add_exception_handler(HTTPException, _http_problem)
    api.add_exception_handler(Exception, _internal_problem)
    return api


def document_of(api: FastAPI, others: Sequence[FastAPI]) -> dict[str, Any]:
    """Return the OpenAPI document of a plane and of further ones."""
    routes = [*api.routes, *(route for other in others for route in other.routes)]
    document = get_openapi(title=api.title, version=api.version, routes=routes)
    schemas = {**document["components"]["schemas"], _PROBLEM: models.Problem.model_json_schema()}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


async def json_body(request: Request, form: str) -> object:
    """Read a body as JSON; `form` describes the valid form.

    Raises:
        BadRequest: it is not JSON, or exceeds the limits.
    """
    try:
        return read_json(await request.body())
    except Refused as refused:
        raise BadRequest(f"the body {refused}; send {form}") from None


async def _body_is_data(request: Request) -> None:
    """Reject requests that a form of another site's page can send without a preflight request.

    Raises:
        HTTPException: 415, for a body that is not JSON, or YAML where it is accepted.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method not in ("GET", "HEAD") and kind and kind not in _DATA:
        raise HTTPException(415, f"the body is said to be {kind}; send JSON, with Content-Type: application/json")


class _Body(Request):
    """A request whose JSON is read within limits."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            try:
                self._json = read_json(await self.body())
            except Refused as refused:
                raise HTTPException(422, f"the body {refused}") from None  # as for any body with an invalid structure
        return self._json


class _Route(APIRoute):
    """A route of a plane.

    Model bodies are read within the limits of external JSON, and reading requests end when the client disconnects.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            answer = handler(_Body(request.scope, request.receive))
            try:
                return await (unless_gone(request.receive, answer) if request.method == "GET" else answer)
            except ClientGone:
                return Response(status_code=499)
            except tuple(REFUSALS):
                raise
            except (OwnedElsewhere, ContextTaken, ScheduleMistakes, RequestValidationError, HTTPException):
                raise
            except Exception as error:
                sessions: Sessions = request.app.state.sessions
                raise sessions.cause_of(error, request.path_params.get("session_id", "")) or error from None

        return handle


async def _elsewhere(request: Request, error: Exception) -> Response:
    """Record that the request belongs to another gateway; see `soundstage.gateway.cluster.router`."""
    routing_of(request.scope).elsewhere = cast(OwnedElsewhere | ContextTaken, error)
    return Response()


async def _refused(request: Request, error: Exception) -> Response:
    count_refusal(error)
    status, message = status_of(error), request.app.state.message_of(error)
    if message != str(error):
        log.warning("request refused", method=request.method, path=request.url.path, reason=str(error))
    return JSONResponse({"error": message}, status_code=status, headers=headers_of(status, error))


async def _misshapen(request: Request, error: Exception) -> Response:
    """Report each invalid place in the request."""
    problems = cast(RequestValidationError, error).errors()
    messages = [f"{'.'.join(str(p) for p in e['loc'] if p != 'body') or 'body'}: {e['msg']}" for e in problems]
    return JSONResponse({"error": "; ".join(messages)}, status_code=422)


async def _internal_problem(request: Request, error: Exception) -> Response:
    log.error("control request failed", method=request.method, path=request.url.path, exc_info=error)
    return JSONResponse({"error": INTERNAL}, status_code=500)


async def _http_problem(request: Request, error: Exception) -> Response:
    refusal = cast(HTTPException, error)
    return JSONResponse({"error": refusal.detail}, refusal.status_code, headers_of(refusal.status_code))
