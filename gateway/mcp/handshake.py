"""Answer the first messages over stdio, which are always the same, before the MCP SDK is loaded.

Importing the SDK takes longer than the rest of the start, and clients restart their servers each time. Requests in the simple
form that clients use are answered here with the SDK's bytes (a test compares them). For anything else the SDK takes over and
receives the earlier messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.gateway.calls.call import Toolset
from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.mcp.introduction import introduce
from soundstage.gateway.registry.records import Introduction
from soundstage.gateway.sessions.session import Session

Id = int | str
_Message = Mapping[str, Any]
"""A JSON-RPC message."""
_HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_CLIENT_MEMBERS = {"name", "version", "title"}


class Handshake:
    """Handles the first messages of a connection line by line, for one toolset and introduction.

    Pass no `session` before the session exists; no fault has changed its list then.

    Attributes:
        lines_for_sdk: The client's lines that the SDK must receive.
        initialize_id: The id of the `initialize` request that is already answered.
        is_over: Whether the SDK must take over.
    """

    def __init__(self, server: Introduction, toolset: Toolset, session: Session | None) -> None:
        self._server = server
        self._session = session
        self._toolset = toolset
        self._ready = False
        self.lines_for_sdk: list[str] = []
        self.initialize_id: Id | None = None
        self.is_over = False

    def answer(self, line: str) -> bytes:
        """Return the line to reply; empty if no reply is due from here."""
        message = _read(line)
        if self._ready and message is not None and (request_id := _list_request(message)) is not None:
            self.is_over = True  # a starting client waits for the list only
            toolset = self._toolset if self._session is None else visible_toolset(self._session, self._toolset)
            return _reply(request_id, b'{"tools":%b}' % toolset.tools_json)
        self.lines_for_sdk.append(line)
        if self.initialize_id is None and message is not None and (initialize := _initialize(message)) is not None:
            self.initialize_id, revision = initialize
            return _reply(self.initialize_id, orjson.dumps(self._result(revision)))
        if self.initialize_id is not None and message == {"jsonrpc": "2.0", "method": "notifications/initialized"}:
            self._ready = True
        else:
            self.is_over = True
        return b""

    def _result(self, revision: str) -> dict[str, Any]:
        result = {"protocolVersion": revision, "capabilities": {"tools": {"listChanged": False}}, "serverInfo": {}}
        introduce(result, self._server, self._toolset)
        return result


def _read(line: str) -> _Message | None:
    """Parse a line as a JSON-RPC message; None if it is invalid."""
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return message if isinstance(message, dict) and message.get("jsonrpc") == "2.0" else None


def _initialize(message: _Message) -> tuple[Id, str] | None:
    """Return the id and revision of a simple handshake, otherwise None."""
    request_id, params = _request(message, "initialize"), message.get("params")
    if (
        request_id is None
        or not isinstance(params, dict)
        or params.keys() != {"protocolVersion", "capabilities", "clientInfo"}
    ):
        return None
    client, revision = params["clientInfo"], params["protocolVersion"]
    if not isinstance(client, dict) or not {"name", "version"} <= client.keys() <= _CLIENT_MEMBERS:
        return None
    plain = all(isinstance(text, str) for text in client.values()) and _is_common(params["capabilities"])
    return (request_id, revision) if plain and revision in _HANDSHAKES else None


def _is_common(capabilities: Any) -> bool:
    """Whether a client's capabilities are among the common ones."""
    if not isinstance(capabilities, dict) or not capabilities.keys() <= {"roots", "sampling", "elicitation"}:
        return False
    roots = capabilities.get("roots", {})
    return roots in ({}, {"listChanged": True}, {"listChanged": False}) and not any(
        capabilities.get(name, {}) != {} for name in ("sampling", "elicitation")
    )


def _list_request(message: _Message) -> Id | None:
    return _request(message, "tools/list") if message.get("params", {}) == {} else None


def _request(message: _Message, method: str) -> Id | None:
    """Return the id of a simple request of this method, otherwise None."""
    request_id = message.get("id")
    plain = message.keys() <= {"jsonrpc", "id", "method", "params"} and message.get("method") == method
    return request_id if plain and isinstance(request_id, int | str) and not isinstance(request_id, bool) else None


def _reply(request_id: Id, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (orjson.dumps(request_id), result)
