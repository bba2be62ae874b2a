"""Answer the first messages over stdio, which are always the same, before the MCP SDK is loaded.

Importing the SDK takes longer than the rest of the start, and clients restart their servers each time. Requests in the simple
form that clients use are answered here with the SDK's bytes (a test compares them). For anything else the SDK takes over and
receives the earlier messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.toolset import Toolset
from soundstage.gateway.mcp.introduction import introduce
from soundstage.gateway.registry.records import Introduction
from soundstage.gateway.sessions.session import Session

Id = int | str
_Message = Mapping[str, Any]
"""A JSON-RPC message."""
_HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_OF_A_CLIENT = {"name", "version", "title"}


class Opening:
    """Handles the beginning of a connection line by line, for one toolset and introduction.

    Without a `session`, it does not exist yet, so no fault has changed its list. `heard` are the client's lines that the SDK
    must receive. `greeted` is the id of the handshake that is already answered. `over` means that the SDK must take over.
    """

    def __init__(self, server: Introduction, toolset: Toolset, session: Session | None) -> None:
        self._server = server
        self._session = session
        self._face = toolset
        self._ready = False
        self.heard: list[str] = []
        self.greeted: Id | None = None
        self.over = False

    def answer(self, line: str) -> bytes:
        """Return the line to reply; empty if no reply is due from here."""
        message = _read(line)
        if self._ready and message is not None and (request_id := _list_asked(message)) is not None:
            self.over = True  # a starting client waits for the list only
            toolset = self._face if self._session is None else visible_toolset(self._session, self._face)
            return _reply(request_id, b'{"tools":%b}' % toolset.tools_json)
        self.heard.append(line)
        if self.greeted is None and message is not None and (greeting := _greeting(message)) is not None:
            self.greeted, revision = greeting
            return _reply(self.greeted, orjson.dumps(self._hello(revision)))
        if self.greeted is not None and message == {"jsonrpc": "2.0", "method": "notifications/initialized"}:
            self._ready = True
        else:
            self.over = True
        return b""

    def _hello(self, revision: str) -> dict[str, Any]:
        hello = {"protocolVersion": revision, "capabilities": {"tools": {"listChanged": False}}, "serverInfo": {}}
        introduce(hello, self._server, self._face)
        return hello


def _read(line: str) -> _Message | None:
    """Parse a line as a JSON-RPC message; None if it is invalid."""
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return message if isinstance(message, dict) and message.get("jsonrpc") == "2.0" else None


def _greeting(message: _Message) -> tuple[Id, str] | None:
    """Return the id and revision of a simple handshake, otherwise None."""
    request_id, params = _request(message, "initialize"), message.get("params")
    if (
        request_id is None
        or not isinstance(params, dict)
        or params.keys() != {"protocolVersion", "capabilities", "clientInfo"}
    ):
        return None
    client, revision = params["clientInfo"], params["protocolVersion"]
    if not isinstance(client, dict) or not {"name", "version"} <= client.keys() <= _OF_A_CLIENT:
        return None
    plain = all(isinstance(text, str) for text in client.values()) and _capable(params["capabilities"])
    return (request_id, revision) if plain and revision in _HANDSHAKES else None


def _capable(capabilities: Any) -> bool:
    """Whether a client's capabilities are among the common ones."""
    if not isinstance(capabilities, dict) or not capabilities.keys() <= {"roots", "sampling", "elicitation"}:
        return False
    roots = capabilities.get("roots", {})
    return roots in ({}, {"listChanged": True}, {"listChanged": False}) and not any(
        capabilities.get(name, {}) != {} for name in ("sampling", "elicitation")
    )


def _list_asked(message: _Message) -> Id | None:
    return _request(message, "tools/list") if message.get("params", {}) == {} else None


def _request(message: _Message, method: str) -> Id | None:
    """Return the id of a simple request of this method, otherwise None."""
    request_id = message.get("id")
    plain = message.keys() <= {"jsonrpc", "id", "method", "params"} and message.get("method") == method
    return request_id if plain and isinstance(request_id, int | str) and not isinstance(request_id, bool) else None


def _reply(request_id: Id, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (orjson.dumps(request_id), result)
