"""A simulated app as a target: each start is a new in-memory session on world `empty`, changed by calls as an agent's is."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import orjson

from soundstage.gateway.app import build_app
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app
from soundstage.synthesis.targets.target import (
    DEFAULT_START,
    CallResult,
    NotPossible,
    ServerDescription,
    Start,
    State,
    innermost,
)

SCRATCH = Path("/scratch")
"""The name of the scratch folder in recordings; a simulated app's files can be stored below it."""

_WORLD = "empty"
_LARGEST_STATE = 1 << 30
_TICK_MS = 10


@asynccontextmanager
async def gateway_here(built: Path | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    """Run a temporary gateway in this process and yield a client; built worlds are cached in `built` if it is given."""
    with tempfile.TemporaryDirectory(prefix="soundstage-fidelity-") as folder:
        settings = Settings(data=Path(folder), built=built, max_body=_LARGEST_STATE)
        app = build_app(settings)
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        try:
            async with (
                app.router.lifespan_context(app),
                httpx2.AsyncClient(transport=transport, base_url=settings.base_url, timeout=None) as http,
            ):
                yield http
        except BaseExceptionGroup as group:  # of the gateway's tasks, around what the block raised
            raise innermost(group) from None


class SimConnection:
    """A session of an app, valid during the block of `SimTarget.fresh`."""

    def __init__(self, http: httpx2.AsyncClient, app: str, session: str) -> None:
        self._http = http
        self._app = app
        self._session = session
        self.scratch = SCRATCH
        self.is_open = True

    async def describe(self) -> ServerDescription:
        """Return the app's self-description, with tools sorted by name."""
        app = load_app(self._app)
        tools = sorted((tool.listed() for tool in app.tools.values()), key=lambda tool: str(tool["name"]))
        return ServerDescription(dict(app.server), "", {"tools": {}}, None, tuple(tools))

    async def call(self, tool: str, arguments: dict[str, Any] | None) -> CallResult:
        """Make a call; its changes persist for the next one.

        Raises:
            NotPossible: The call cannot be made.
        """
        began = time.monotonic()
        body = {"app": self._app, "tool": tool, "arguments": arguments}
        answer = await control_request(self._http, "POST", f"/api/sessions/{self._session}/calls", body)
        ms = round((time.monotonic() - began) * 1000)
        return CallResult("answered", answer["reply"], ms, ok=answer["ok"], error_kind=answer["error_kind"])


@dataclass(frozen=True, slots=True)
class SimTarget:
    """An app of a gateway.

    `given` is the base state of every start, which corresponds to a reset server, such as the folders of a file server.
    """

    http: httpx2.AsyncClient
    app: str
    given: State = field(default_factory=dict)

    @asynccontextmanager
    async def fresh(self, start: Start = DEFAULT_START) -> AsyncIterator[SimConnection]:
        """Create a session that is deleted after the block; its clock advances a little with each call.

        Raises:
            NotPossible: The state does not fit the app.
        """
        clock = {"mode": "tick", "tick_ms": _TICK_MS} | ({} if start.clock is None else {"at": start.clock})
        body = {"world": _WORLD, "apps": [self.app], "durability": "memory", "clock": clock}
        session = (await control_request(self.http, "POST", "/api/sessions", body))["id"]
        try:
            generation = {} if start.generation is None else {"_server": [{"generation": start.generation}]}
            if given := {**self.given, **start.given, **generation}:
                await control_request(self.http, "PUT", f"/api/sessions/{session}/state", {self.app: given})
            yield SimConnection(self.http, self.app, session)
        finally:
            await control_request(self.http, "DELETE", f"/api/sessions/{session}")


async def control_request(http: httpx2.AsyncClient, method: str, path: str, body: Any = None) -> Any:
    """Send a request to the gateway's control plane and return the response.

    Raises:
        NotPossible: The gateway rejects it; the message is the gateway's.
    """
    content = None if body is None else json.dumps(body).encode()
    response = await http.request(method, path, content=content, headers={"content-type": "application/json"})
    if response.is_error:
        raise NotPossible(str(response.json()["error"]))
    return orjson.loads(response.content) if response.content else None
