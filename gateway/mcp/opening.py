"""The first words over stdio, which are always the same: answered without the MCP SDK, while it is not there yet.

Importing the SDK takes longer than all else at the start, and clients start their servers anew each time. What is asked in the
plain form that they use is answered here, in the words of the SDK (a test compares them); at anything else the SDK takes over,
and hears what was said before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.listing import listed_now
from soundstage.gateway.mcp.introduction import introduce
from soundstage.gateway.registry.records import Introduction
from soundstage.gateway.sessions.session import Session

Id = int | str
_Said = Mapping[str, Any]
"""A JSON-RPC message."""
_HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_OF_A_CLIENT = {"name", "version", "title"}


class Opening:
    """A dialogue's beginning, told line by line; at an address with this face, of a session that introduces itself so. Where the
    session is not there yet, no fault has changed what it lists.

    `heard` are the client's lines that the SDK has to hear, `greeted` is the id of the handshake that is answered already; `over`
    says that the SDK is due.
    """

    def __init__(self, server: Introduction, face: Face, session: Session | None) -> None:
        self._server = server
        self._session = session
        self._face = face
        self._ready = False
        self.heard: list[str] = []
        self.greeted: Id | None = None
        self.over = False

    def answer(self, line: str) -> bytes:
        """The line to answer with; empty where none is due from here."""
        said = _read(line)
        if self._ready and said is not None and (asked := _list_asked(said)) is not None:
            self.over = True  # the list is what a client waits for when it starts
            face = self._face if self._session is None else listed_now(self._session, self._face)
            return _reply(asked, b'{"tools":%b}' % face.tools_json)
        self.heard.append(line)
        if self.greeted is None and said is not None and (greeting := _greeting(said)) is not None:
            self.greeted, revision = greeting
            return _reply(self.greeted, orjson.dumps(self._hello(revision)))
        if self.greeted is not None and said == {"jsonrpc": "2.0", "method": "notifications/initialized"}:
            self._ready = True
        else:
            self.over = True
        return b""

    def _hello(self, revision: str) -> dict[str, Any]:
        hello = {"protocolVersion": revision, "capabilities": {"tools": {"listChanged": False}}, "serverInfo": {}}
        introduce(hello, self._server, self._face)
        return hello


def _read(line: str) -> _Said | None:
    """The message of a line; None where it is none."""
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return said if isinstance(said, dict) and said.get("jsonrpc") == "2.0" else None


def _greeting(said: _Said) -> tuple[Id, str] | None:
    """The id and the revision of a plain handshake; None for anything else."""
    asked, params = _request(said, "initialize"), said.get("params")
    if (
        asked is None
        or not isinstance(params, dict)
        or params.keys() != {"protocolVersion", "capabilities", "clientInfo"}
    ):
        return None
    client, revision = params["clientInfo"], params["protocolVersion"]
    if not isinstance(client, dict) or not {"name", "version"} <= client.keys() <= _OF_A_CLIENT:
        return None
    plain = all(isinstance(text, str) for text in client.values()) and _capable(params["capabilities"])
    return (asked, revision) if plain and revision in _HANDSHAKES else None


def _capable(said: Any) -> bool:
    """Whether a client's capabilities are among those that most clients have."""
    if not isinstance(said, dict) or not said.keys() <= {"roots", "sampling", "elicitation"}:
        return False
    roots = said.get("roots", {})
    return roots in ({}, {"listChanged": True}, {"listChanged": False}) and not any(
        said.get(name, {}) != {} for name in ("sampling", "elicitation")
    )


def _list_asked(said: _Said) -> Id | None:
    return _request(said, "tools/list") if said.get("params", {}) == {} else None


def _request(said: _Said, method: str) -> Id | None:
    """The id of a request of this method."""
    asked = said.get("id")
    plain = said.keys() <= {"jsonrpc", "id", "method", "params"} and said.get("method") == method
    return asked if plain and isinstance(asked, int | str) and not isinstance(asked, bool) else None


def _reply(asked: Id, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (orjson.dumps(asked), result)
