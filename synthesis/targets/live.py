"""A real MCP server, reached by command or URL, and a client of it.

A server started by a command gets a minimal environment (see `_environment`), never the caller's. If its environment names a
scratch folder, each start gets a new one, so that a new start is a reset.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from soundstage.gateway.upstream.config import CommandServer, Declaration
from soundstage.synthesis.targets.target import (
    DEFAULT_START,
    CallResult,
    NotPossible,
    ServerDescription,
    Start,
    Transport,
    Unreachable,
    innermost,
)

SCRATCH = "{scratch}"
"""The placeholder in a command's environment and arguments for the scratch folder of each start."""
_INHERITED = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")
_CLOSED = -32000  # the client library's code for a connection that ends before the reply


class LiveConnection:
    """One start of the server, valid during the block of `LiveTarget.fresh`; `scratch` is its folder."""

    def __init__(self, client: Client, scratch: Path, timeout_s: float) -> None:
        self._client = client
        self._timeout_s = timeout_s
        self.scratch = scratch
        self.is_open = True

    async def describe(self) -> ServerDescription:
        """Return the server's self-description, with tools sorted by name."""
        listed: list[types.Tool] = []
        cursor: str | None = None
        while True:
            page = await self._client.list_tools(cursor=cursor)
            listed += page.tools
            if not (cursor := page.next_cursor):
                break
        tools = sorted((_json_of(tool) for tool in listed), key=lambda tool: str(tool["name"]))
        return ServerDescription(
            _json_of(self._client.server_info),
            str(self._client.protocol_version),
            _json_of(self._client.server_capabilities),
            self._client.instructions,
            tuple(tools),
        )

    async def call(self, tool: str, arguments: dict[str, Any] | None) -> CallResult:
        """Make a call; the reply is not validated against the tool's schemas."""
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
        began = time.monotonic()
        reply: dict[str, Any] | None = None
        transport: Transport = "answered"
        try:
            with anyio.fail_after(self._timeout_s):
                result = await self._client.session.send_request(request, types.CallToolResult)
            reply = _json_of(result)
            reply.pop("resultType", None)  # the client library's, not the server's
        except TimeoutError:
            transport = "timed_out"
        except MCPError as error:
            if error.code == _CLOSED and "closed" in error.message.lower():
                transport = "closed"
            else:
                reply = {"error": {"code": error.code, "message": error.message}}
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, httpx2.TransportError):
            transport = "closed"
        self.is_open = transport == "answered"
        return CallResult(transport, reply, round((time.monotonic() - began) * 1000))


@dataclass(frozen=True, slots=True)
class LiveTarget:
    """A real server that can be started (or reached) repeatedly.

    `environment` is added to the minimal environment of its process; `{scratch}` is replaced with its folder.
    """

    declaration: Declaration
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 30.0

    @asynccontextmanager
    async def fresh(self, start: Start = DEFAULT_START) -> AsyncIterator[LiveConnection]:
        """Start the server, or open a new connection to one that runs elsewhere; it uses its own clock.

        Raises:
            Unreachable: The server does not start or respond.
            NotPossible: The start has a state, which only simulated apps support.
        """
        if start.given:
            raise NotPossible(f"{self.declaration.shown} is a real server: no state can be put into it")
        try:
            async with self._started(start.zone) as connection:
                yield connection
        except (
            BaseExceptionGroup
        ) as group:  # of the client library's tasks, around what one of them or the caller raised
            raise innermost(group) from None

    @asynccontextmanager
    async def _started(self, zone: str) -> AsyncIterator[LiveConnection]:
        async with AsyncExitStack() as stack:
            folder = tempfile.TemporaryDirectory(prefix="scratch-", ignore_cleanup_errors=True)
            scratch = Path(stack.enter_context(folder))
            try:
                client = await stack.enter_async_context(await self._client(stack, scratch, zone))
            except (OSError, MCPError, httpx2.HTTPError, ExceptionGroup, anyio.BrokenResourceError) as error:
                cause = innermost(error)
                why = f"{type(cause).__name__}: {cause}".rstrip(": ")
                raise Unreachable(f"{self.declaration.shown} does not answer as an MCP server ({why})") from None
            yield LiveConnection(client, scratch, self.timeout_s)

    async def _client(self, stack: AsyncExitStack, scratch: Path, zone: str) -> Client:
        server = self.declaration.server
        if not isinstance(server, CommandServer):
            http = await stack.enter_async_context(
                httpx2.AsyncClient(headers=dict(server.headers), timeout=self.timeout_s, follow_redirects=False)
            )
            return Client(streamable_http_client(server.url, http_client=http))
        quiet = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: ASYNC230, SIM115 the stack closes it
        given = {**server.env, **self.environment}
        parameters = StdioServerParameters(
            command=server.command,
            args=[argument.replace(SCRATCH, str(scratch)) for argument in server.args],
            env=_environment(scratch, zone) | {name: v.replace(SCRATCH, str(scratch)) for name, v in given.items()},
            cwd=server.cwd,
        )
        return Client(stdio_client(parameters, errlog=quiet))


def _environment(scratch: Path, zone: str) -> dict[str, str]:
    """Return the environment of started servers: PATH, a separate home, and no name of this machine or its user."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    unnamed = {"LOGNAME": "agent", "USER": "agent", "SHELL": "/bin/sh", "TERM": "dumb", "USERNAME": "agent"}
    return inherited | unnamed | {"HOME": str(scratch), "TMPDIR": str(scratch), "TZ": zone, "NO_UPDATE_NOTIFIER": "1"}


def _json_of(model: Any) -> dict[str, Any]:
    if model is None:
        return {}
    plain: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return plain
