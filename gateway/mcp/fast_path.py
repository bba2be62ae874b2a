"""Fast path for simple requests: `tools/call`, `tools/list` and `ping` of either revision, answered from their parsed bytes.

The SDK returns the same bytes for these requests, through a separate task group and a dozen models. A request that the SDK
would reject, or that needs more than an answer, is not simple and goes through the SDK: the fast path rejects nothing. `parse`
defines simple requests; `tests/gateway/test_fast_path.py` compares both paths. `SOUNDSTAGE_PLAIN=off` sends everything through
the SDK.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import mcp_types as types
import pydantic_core
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp_types import methods
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import Scope, Send

from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.service import CallService, Notify
from soundstage.gateway.log import log
from soundstage.gateway.mcp.introduction import SERVER_INFO, introduce
from soundstage.gateway.mcp.server import (
    COMPLETE,
    LIST_TTL_MS,
    McpRequest,
    format_client,
    is_traced,
    make_call,
    result_of,
    with_tools,
)
from soundstage.gateway.notices import is_wanted
from soundstage.gateway.refusals import INTERNAL

MODERN, LEGACY = "2026-07-28", "2025-11-25"
_Method = Literal["tools/call", "tools/list", "ping"]
_METHODS: Mapping[bytes, frozenset[str]] = {
    MODERN.encode(): frozenset({"tools/call", "tools/list"}),  # this revision has no ping
    LEGACY.encode(): frozenset({"tools/call", "tools/list", "ping"}),
}
_CONTENT_TYPES = frozenset({b"application/json", b"application/json; charset=utf-8"})
_SINGLE_HEADERS = frozenset({b"content-type", b"accept", b"mcp-protocol-version", b"mcp-method", b"mcp-name"})
_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params"})
_MAX_ID = 2**53
_INFO, _CAPABILITIES = types.CLIENT_INFO_META_KEY, types.CLIENT_CAPABILITIES_META_KEY
_META = frozenset({types.PROTOCOL_VERSION_META_KEY, _INFO, _CAPABILITIES})
_MAX_META = 2000  # bytes; longer metadata is not cached


@dataclass(frozen=True, slots=True)
class SimpleRequest:
    """A simple request. `client` is the sender's name in the journal."""

    id: int | str
    method: _Method
    revision: str
    client: str
    name: str = ""
    arguments: dict[str, Any] | None = None


def is_enabled() -> bool:
    """Whether the fast path is enabled in this process."""
    return os.environ.get("SOUNDSTAGE_PLAIN") != "off" and not is_traced()


def parse(scope: Scope, body: bytes) -> SimpleRequest | None:
    """Parse a simple request, otherwise return None.

    A simple request is a `POST` with each relevant header once and well-formed, and one JSON-RPC request that contains nothing
    but the members its method needs and requests no progress.
    """
    if scope["method"] != "POST":
        return None
    headers: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in _SINGLE_HEADERS:
            if name in headers:
                return None
            headers[name] = value
    revision = headers.get(b"mcp-protocol-version", b"")
    known = _METHODS.get(revision)
    if (
        known is None
        or headers.get(b"content-type") not in _CONTENT_TYPES
        or not _accepts_json(headers.get(b"accept", b""))
    ):
        return None
    modern = revision == MODERN.encode()
    message = _parse_body(body, modern=modern)
    if type(message) is not dict or not message.keys() <= _ENVELOPE or message.get("jsonrpc") != "2.0":
        return None
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if not (type(request_id) is str or (type(request_id) is int and abs(request_id) < _MAX_ID)):
        return None
    if type(method) is not str or method not in known or type(params) is not dict:
        return None
    client = _client(params, headers, method) if modern else (f"({LEGACY})" if "_meta" not in params else None)
    if client is None:
        return None
    if method != "tools/call":
        if params.keys() - {"_meta"}:
            return None
        return SimpleRequest(request_id, method, MODERN if modern else LEGACY, client)  # type: ignore[arg-type]
    name, arguments = params.get("name"), params.get("arguments")
    if type(name) is not str or not (arguments is None or type(arguments) is dict):
        return None
    if params.keys() - {"_meta", "name", "arguments"}:
        return None
    return SimpleRequest(request_id, "tools/call", MODERN if modern else LEGACY, client, name, arguments)


def _parse_body(body: bytes, *, modern: bool) -> Any:
    """Parse a body as its revision's reader in the SDK does; None if it is invalid."""
    try:
        return pydantic_core.from_json(body)
    except ValueError:
        if not modern:
            return None
    try:  # slower, but accepts other encodings, surrogates and deeper nesting
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _client(params: dict[str, Any], headers: Mapping[bytes, bytes], method: str) -> str | None:
    """Return the client of a 2026-07-28 request; None if its headers and envelope are not simple."""
    if headers.get(b"mcp-method") != method.encode():
        return None
    if method == "tools/call":
        name = params.get("name")
        if type(name) is not str or not name.isascii() or name.startswith("=?"):
            return None
        if headers.get(b"mcp-name") != name.encode():
            return None
    meta = params.get("_meta")
    if type(meta) is not dict or not meta.keys() <= _META or meta.get(types.PROTOCOL_VERSION_META_KEY) != MODERN:
        return None
    try:
        text = pydantic_core.to_json(meta)
    except ValueError:
        return None
    return _client_of(text) if len(text) <= _MAX_META else None


@lru_cache(maxsize=1024)
def _client_of(meta: bytes) -> str | None:
    """Return the client named by an envelope; None if the SDK would reject it."""
    envelope = pydantic_core.from_json(meta)
    if type(envelope.get(_CAPABILITIES)) is not dict:
        return None
    try:
        methods.validate_client_request("tools/list", MODERN, {"_meta": envelope})
        types.ClientCapabilities.model_validate(envelope[_CAPABILITIES], by_name=False)
        info = (
            None if envelope.get(_INFO) is None else types.Implementation.model_validate(envelope[_INFO], by_name=False)
        )
    except ValidationError:
        return None
    return f"({MODERN})" if info is None else format_client(info.name, info.version, MODERN)


@lru_cache(maxsize=256)
def _accepts_json(accept: bytes) -> bool:
    return check_accept_headers(Request({"type": "http", "headers": [(b"accept", accept)]}))[0]


@dataclass(frozen=True, slots=True)
class FastResponse:
    """The response to a simple request. `content_type_first` determines the order of its headers."""

    status: int
    content_type_first: bool
    body: bytes

    async def send(self, send: Send) -> None:
        length, kind = (b"content-length", b"%d" % len(self.body)), _JSON
        headers = [kind, length] if self.content_type_first else [length, kind]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


_JSON = (b"content-type", b"application/json")


async def answer(simple: SimpleRequest, request: McpRequest, calls: CallService) -> FastResponse:
    """Answer a simple request with the bytes that the SDK would send."""
    status, content_type_first = 200, simple.revision == LEGACY
    try:
        if simple.method == "ping":
            body = _frame(simple, "result", {})
        elif simple.method == "tools/list":
            toolset, content_type_first = visible_toolset(request.session, request.toolset), True
            body = with_tools(_frame(simple, "result", _empty_list(simple, request)), toolset)
        else:
            notify = _notify_with(request) if _wants_notices(simple.revision) else None
            result = await make_call(calls, request, simple.name, simple.arguments, client=simple.client, notify=notify)
            body = _frame(simple, "result", _shape(simple, result_of(result, simple.revision), request))
    except Exception as error:
        failure = _failure(simple, error)
        if simple.revision == MODERN:
            status = ERROR_CODE_HTTP_STATUS.get(failure["code"], 200)
        body = _frame(simple, "error", failure)
    return FastResponse(status, content_type_first, body)


@cache
def _wants_notices(revision: str) -> bool:
    return is_wanted(revision, None)


def _notify_with(request: McpRequest) -> Notify:
    async def notify(text: str) -> None:
        request.notice = text

    return notify


def _frame(simple: SimpleRequest, member: str, value: dict[str, Any]) -> bytes:
    message = {"jsonrpc": "2.0", "id": simple.id, member: value}
    if simple.revision == MODERN:  # each revision has its own serializer in the SDK: one escapes non-ASCII characters
        return _modern_text(message).encode()
    return pydantic_core.to_json(message)


_modern_text = json.JSONEncoder(separators=(",", ":")).encode


def _empty_list(simple: SimpleRequest, request: McpRequest) -> dict[str, Any]:
    return _stamp(simple, dict(_empty_list_result(simple.revision)), request)


@cache
def _empty_list_result(revision: str) -> Mapping[str, Any]:
    empty = {"ttlMs": LIST_TTL_MS, "cacheScope": "private", "tools": [], **COMPLETE}
    return methods.serialize_server_result("tools/list", revision, empty)


def _shape(simple: SimpleRequest, result: dict[str, Any], request: McpRequest) -> dict[str, Any]:
    """Return a call's result with the members of its revision, in the order of the SDK's models."""
    blocks = result.get("content", ())
    if result.keys() <= _SIMPLE_RESULT and all(b.keys() == _TEXT_BLOCK and b["type"] == "text" for b in blocks):
        shaped: dict[str, Any] = {"content": [{"text": b["text"], "type": "text"} for b in blocks]}
        if result.get("isError") is not None:
            shaped["isError"] = result["isError"]
        if simple.revision == MODERN:
            shaped["resultType"] = result["resultType"]
        if "structuredContent" in result:
            shaped["structuredContent"] = result["structuredContent"]
    else:
        try:
            shaped = methods.serialize_server_result("tools/call", simple.revision, result)
        except ValidationError:
            log.exception("a call's result is not a valid MCP result", tool=simple.name)
            raise MCPError(code=types.INTERNAL_ERROR, message="Handler returned an invalid result") from None
    return _stamp(simple, shaped, request)


_SIMPLE_RESULT = frozenset({"content", "isError", "resultType", "structuredContent"})
_TEXT_BLOCK = frozenset({"type", "text"})


def _stamp(simple: SimpleRequest, shaped: dict[str, Any], request: McpRequest) -> dict[str, Any]:
    if simple.revision == MODERN:
        shaped["_meta"] = {**shaped.get("_meta", {}), SERVER_INFO: {}}
        introduce(shaped, request.session.record.server, request.toolset)
    return shaped


def _failure(simple: SimpleRequest, error: Exception) -> dict[str, Any]:
    """Convert an exception to a JSON-RPC error."""
    if isinstance(error, MCPError):
        return error.error.model_dump(mode="json", exclude_none=True)
    log.exception("a request failed", method=simple.method)
    if simple.revision == MODERN:
        return {"code": types.INTERNAL_ERROR, "message": "Internal server error"}
    return {"code": 0, "message": INTERNAL}
