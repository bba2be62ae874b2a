"""HTTP requests without the browser: sending, the shown part of the response, and Node's connection errors."""

from __future__ import annotations

import json
from typing import Any, Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.addresses import normal
from soundstage.kernels.engines.javascript import UNDEFINED, is_true, text, type_of, utf16_length, utf16_slice
from soundstage.kernels.engines.web_requests.answering import respond
from soundstage.kernels.engines.web_requests.messages import NetworkError, Request
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.codegen import recorded
from soundstage.kernels.playwright.rules.errors import Refused, call_log
from soundstage.kernels.playwright.rules.json_errors import parse_problem
from soundstage.kernels.types import Arguments

Verb = Literal["get", "post", "put", "patch", "delete"]

_AGENT = "Playwright/1.57.0 (x64; debian 12) node/20.20"
_SHOWN = 1000
"""Number of characters of a body that are shown."""


def send(context: AppContext, verb: Verb, arguments: Arguments) -> list[str] | AppError:
    """Send a request and return the tool's three texts. HTTP error statuses are not failures."""
    recorded(context, f"playwright_{verb}", arguments)
    try:
        return _answer(context, verb, arguments)
    except Refused as error:
        return error


def _answer(context: AppContext, verb: Verb, arguments: Arguments) -> list[str]:
    headers = _headers(arguments, with_body=verb in ("post", "put", "patch"))
    body = _body(arguments.get("value", UNDEFINED)) if verb in ("post", "put", "patch") else None
    url = _address(verb, arguments.get("url", UNDEFINED))
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        answer = respond(context, Request(verb.upper(), url, sent, body))
    except NetworkError as error:
        raise _nobody(error, verb, url, headers, body) from None
    shown = answer.body if utf16_length(answer.body) <= _SHOWN else f"{utf16_slice(answer.body, 0, _SHOWN)}..."
    return [
        f"{verb.upper()} request to {text(arguments.get('url', UNDEFINED))}",
        f"Status: {answer.status} {answer.reason}",
        f"Response: {shown}",
    ]


def _headers(arguments: Arguments, *, with_body: bool) -> dict[str, str]:
    """Return the validated headers of the request."""
    own = arguments.get("headers")
    given = own if isinstance(own, dict) else {}
    for name, value in given.items():
        if not isinstance(value, str):
            raise Refused("invalid", f"Header '{name}' must be a string, got {type_of(value)}")
    headers = {"Content-Type": "application/json"} if with_body else {}
    if is_true(arguments.get("token")):
        headers["Authorization"] = f"Bearer {text(arguments['token'])}"
    return {**headers, **given}


def _body(value: Any) -> str | None:
    """Return the body: a JSON string as it is, other values as JSON. A string that starts like JSON must be valid."""
    if isinstance(value, str):
        if value.startswith(("{", "[")) and (problem := parse_problem(value)) is not None:
            raise Refused("invalid", f"Failed to parse request body: {problem}")
        value = json.loads(value) if parse_problem(value) is None else value
    if value is UNDEFINED or value is None or value == "":
        return None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _address(verb: Verb, url: Any) -> str:
    if not isinstance(url, str):
        raise Refused(
            "invalid",
            f"API operation failed: apiRequestContext.{verb}: First argument must be either URL string or Request",
        )
    goal = normal(url)
    if goal is None:
        raise Refused("invalid", f"API operation failed: apiRequestContext.{verb}: Invalid URL")
    scheme = goal.partition(":")[0]
    if scheme not in ("http", "https"):
        wrong = f'Protocol "{scheme}:" not supported. Expected "http:"'
        raise Refused("invalid", f"API operation failed: apiRequestContext.{verb}: {wrong}")
    return goal


def _nobody(error: NetworkError, verb: Verb, url: str, headers: dict[str, str], body: str | None) -> Refused:
    words = {
        "unknown_host": f"getaddrinfo ENOTFOUND {error.host}",
        "refused": f"connect ECONNREFUSED 127.0.0.1:{error.port}",
        "too_many_redirects": "Max redirect count exceeded",
    }[error.failure]
    sent = {"user-agent": _AGENT, "accept": "*/*", "accept-encoding": "gzip,deflate,br", **headers}
    if body is not None:
        sent["content-length"] = str(len(body.encode()))
    lines = [f"  - → {verb.upper()} {url}", *(f"    - {name}: {value}" for name, value in sent.items())]
    kind: Literal["not_found", "unavailable"] = "not_found" if error.failure == "unknown_host" else "unavailable"
    return Refused(kind, f"API operation failed: apiRequestContext.{verb}: {words}{call_log(*lines)}")
