"""Reword HTTP-level errors of the SDK for people, as JSON.

The SDK answers some requests with plain text, some with an empty body, and some with its validator's internals. Status and
JSON-RPC code stay the SDK's, because clients and the conformance suite use them, unless they name a wrong cause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
import orjson
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Scope, Send

SUPPORTED_REVISIONS = (*reversed(MODERN_PROTOCOL_VERSIONS), *reversed(HANDSHAKE_PROTOCOL_VERSIONS))
"""The supported MCP revisions, newest first."""

_VERSION, _ACCEPT = "mcp-protocol-version", "application/json, text/event-stream"
_BODY_TYPE = re.compile(r"^JSONRPCRequest\n.*input_type=(\w+)\]", re.MULTILINE)
_MEMBER_ERROR = re.compile(r"^JSONRPCRequest\.(\S+)\n  (.+?) \[type=", re.MULTILINE)
_KINDS = {"list": "a list (batches are not taken)", "str": "a text", "NoneType": "null", "bool": "true or false"}
_MAX_SHOWN = 100
_MAX_ERRORS = 3


class ErrorRewriter:
    """Sends the SDK's responses, with its errors reworded."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._refusal: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            self._refusal = message
        elif self._refusal is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_error(self._refusal)

    async def _send_error(self, refusal: Message) -> None:
        error = _read(self._body)
        answer = error or _error(self._body)
        replacements = _replacements(
            refusal["status"], answer["error"], Headers(scope=self._scope), self._scope["method"]
        )
        headers, body = refusal["headers"], self._body
        if replacements or error is None:
            answer["error"] |= replacements
            preserved = {name: value for name, value in Headers(raw=headers).items() if name == "allow"}
            response = Response(orjson.dumps(answer), headers=preserved, media_type="application/json")
            headers, body = response.raw_headers, bytes(response.body)
        await self._send({**refusal, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def invalid_params(method: str, error: ValidationError) -> str:
    """Return an error message for invalid request parameters."""
    wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_url=False)]
    return f"Invalid request parameters of {method}: {'; '.join(wrong[:_MAX_ERRORS])}"


def _read(body: bytes) -> dict[str, Any] | None:
    """Parse an error body as a JSON-RPC error, otherwise return None."""
    try:
        answer: dict[str, Any] = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return answer if isinstance(answer, dict) and "error" in answer else None


def _error(body: bytes) -> dict[str, Any]:
    """Convert a plain-text error to a JSON-RPC error without a request id."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": types.INVALID_REQUEST, "message": body.decode("latin-1")}}


def _replacements(status: int, error: Mapping[str, Any], given: Headers, method: str) -> dict[str, Any]:
    """Return the members to replace in an error; empty if the SDK's wording is good."""
    code, message = error["code"], str(error["message"])
    version, spoken = given.get(_VERSION), ", ".join(SUPPORTED_REVISIONS)
    if status == 405:
        return {"message": f"Method Not Allowed: {method} means nothing at this address; send JSON-RPC with POST"}
    if status == 406:
        wanted = "text/event-stream" if method == "GET" else "application/json"
        return {"message": f"Not Acceptable: {_shown('Accept', given)}, and {wanted} is what comes; send {_ACCEPT}"}
    if status == 415 or message == "Invalid Content-Type header":
        return {"message": f"Unsupported Media Type: {_shown('Content-Type', given)}; send application/json"}
    if version is not None and version not in SUPPORTED_REVISIONS and message.startswith("params._meta"):
        data = types.UnsupportedProtocolVersionErrorData(supported=list(SUPPORTED_REVISIONS), requested=version)
        return {
            "code": types.UNSUPPORTED_PROTOCOL_VERSION,
            "message": f"Unsupported protocol version: {_shown('MCP-Protocol-Version', given)}; spoken here: {spoken}",
            "data": data.model_dump(mode="json"),
        }
    if code == types.UNSUPPORTED_PROTOCOL_VERSION:
        return {"message": f"{message}: {_shown('MCP-Protocol-Version', given)}; spoken here: {spoken}"}
    if code == types.PARSE_ERROR:
        _, _, why = message.partition(": ")
        return {"message": f"Parse error: the body is not JSON{f' ({why})' if why else ''}"}
    if message.startswith("Validation error: "):
        return {"message": f"Invalid request: {_describe_invalid(message)}; send one JSON-RPC request or notification"}
    if not message:
        return {"message": f"the request cannot be served (status {status})"}
    return {}


def _describe_invalid(text: str) -> str:
    """Explain from pydantic's error text why a body is not a JSON-RPC message."""
    if (kind := _BODY_TYPE.search(text)) is not None:
        return f"the body is {_KINDS.get(kind[1], 'a number')}"
    wrong: Sequence[tuple[str, str]] = _MEMBER_ERROR.findall(text)
    return "; ".join(f"{member}: {why}" for member, why in wrong) or "the body is not a JSON-RPC message"


def _shown(header: str, given: Headers) -> str:
    value = given.get(header)
    if not value:
        return f"there is no {header}"
    return f"{header} is {value[:_MAX_SHOWN]!r}"
