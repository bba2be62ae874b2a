"""Repeat a recorded call: a new session in the recorded state, one call by an MCP client, and its reply.

All requests use the gateway's addresses as external clients do, but without a socket: the control API for the session and its
state, MCP's HTTP transport for the call.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx2  # mcp's clients take its client
import orjson
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from soundstage.contexts.apps import tables_of
from soundstage.contexts.engine.disk import NAME as DISK
from soundstage.contexts.engine.journal import Change
from soundstage.synthesis.fidelity.effects import Aftermath
from soundstage.synthesis.fidelity.traces import Trace
from soundstage.synthesis.targets.sim import gateway_here

_WORLD = "empty"


class NotReplayed(Exception):
    """The call could not be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The client's view of a reply, with data from the journal.

    `channel` is `unreadable` if the client rejected the reply (it violates MCP or the tool's own output schema); `text` then
    has the reason. Otherwise `text` is all text of the reply, or the message of a JSON-RPC error. `blocks` is MCP's content.
    `aftermath` is read if the recording has one.
    """

    channel: Literal["result", "jsonrpc_error", "unreadable"]
    ok: bool
    error_kind: str | None
    text: str
    is_error: bool | None = None
    code: int | None = None
    blocks: tuple[dict[str, Any], ...] = ()
    structured: Any = None
    aftermath: Aftermath = field(default_factory=Aftermath)


class Replayer:
    """Replays traces against the gateway behind an HTTP client."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def replay(self, trace: Trace) -> Reply:
        """Make the call in a new session.

        Raises:
            NotReplayed: The state does not fit the app, or the call did not reach it.
        """
        session = await self._request("POST", "/api/sessions", json=_new_session(trace))
        path = f"/api/sessions/{session['id']}"
        try:
            await self._request("PUT", f"{path}/state", json={trace.app: state_of(trace)})
            members = await self._call(session["apps"][trace.app], trace)
            recorded = await self._last_call(path)
            aftermath = Aftermath() if recorded is None else await self._aftermath(path, trace, recorded["changes"])
        finally:
            await self._request("DELETE", path)
        if recorded is None:
            raise NotReplayed(f"the call never reached the app ({members['text']})")
        return Reply(ok=recorded["ok"], error_kind=recorded["error_kind"], aftermath=aftermath, **members)

    async def _call(self, url: str, trace: Trace) -> dict[str, Any]:
        """The members of a `Reply` that the client sees."""
        async with Client(streamable_http_client(url, http_client=self._http)) as client:
            try:
                result = await client.call_tool(trace.tool, trace.arguments)
            except MCPError as error:
                return {"channel": "jsonrpc_error", "text": error.message, "code": error.code}
            except (RuntimeError, ValidationError) as error:
                return {"channel": "unreadable", "text": str(error)}
        blocks = tuple(b.model_dump(mode="json", by_alias=True, exclude_none=True) for b in result.content)
        return {
            "channel": "result",
            "text": "\n".join(b["text"] for b in blocks if b["type"] == "text"),
            "is_error": bool(result.is_error),
            "blocks": blocks,
            "structured": result.structured_content,
        }

    async def _aftermath(self, path: str, trace: Trace, changes: list[Change]) -> Aftermath:
        """Return the call's effects, if the recording describes any."""
        if trace.expect.effects is None and trace.expect.state_after is None:
            return Aftermath()
        state = await self._request("GET", f"{path}/state", params={"app": trace.app})
        objects = dict(state.get(trace.app, {}))
        if views := tables_of(trace.app).views:
            files = (await self._request("GET", f"{path}/state", params={"app": DISK})).get(DISK, {})
            objects |= {name: [view.shown(row) for row in files.get(view.kind, ())] for name, view in views.items()}
        return Aftermath(changes, objects)

    async def _last_call(self, path: str) -> dict[str, Any] | None:
        response = await self._http.get(f"{path}/journal")
        calls = [line for row in response.text.splitlines() if (line := orjson.loads(row))["app"] is not None]
        return calls[-1] if calls else None

    async def _request(self, method: str, path: str, **arguments: Any) -> Any:
        response = await self._http.request(method, path, **arguments)
        if response.is_error:
            raise NotReplayed(str(response.json()["error"]))
        return orjson.loads(response.content) if response.content else None


@asynccontextmanager
async def replayer(built: Path | None = None) -> AsyncIterator[Replayer]:
    """Run a temporary gateway in this process; built worlds are cached in `built` if it is given."""
    async with gateway_here(built) as http:
        yield Replayer(http)


def _new_session(trace: Trace) -> dict[str, Any]:
    clock = {"mode": "frozen"} | ({} if trace.clock is None else {"at": trace.clock})
    return {"world": _WORLD, "apps": [trace.app], "durability": "memory", "clock": clock}


def state_of(trace: Trace) -> dict[str, list[dict[str, Any]]]:
    """The state before the call; which generation of its server was recorded is a hint to the app, as all such are."""
    server = {} if trace.server_generation is None else {"_server": [{"generation": trace.server_generation}]}
    return {**trace.given, **server}
