"""A client for the parts of the control plane that rows need. Timed requests use `bench.wire` instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx2

from bench.errands import APP, Errand, errands
from bench.processes import Server
from bench.wire import HOST

FOUR_APPS = ("lark", "notion", "slack", "xiaohongshu")
"""The apps of a typical small session."""

_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Made:
    """A session as the control plane returned it."""

    id: str
    handle: str
    now: str

    def path(self, app: str | None = None) -> str:
        """The path of its MCP address, all apps or one."""
        return f"/s/{self.handle}/mcp" if app is None else f"/s/{self.handle}/{app}/mcp"


class Control:
    """Requests to one gateway, each checked."""

    def __init__(self, server: Server, token: str | None = None) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._client = httpx2.Client(base_url=f"http://{HOST}:{server.port}", headers=headers, timeout=_TIMEOUT_S)

    def request(self, method: str, path: str, body: object = None) -> Any:
        """The JSON of an answer.

        Raises:
            httpx2.HTTPStatusError: for a refusal.
        """
        response = self._client.request(method, path, json=body)
        response.raise_for_status()
        return response.json() if response.content else None

    def session(self, durability: str, world: str = "studio", apps: Sequence[str] | None = None) -> Made:
        """A new session, of all apps where none are named."""
        wanted = {"durability": durability, "world": world} | ({} if apps is None else {"apps": list(apps)})
        made = self.request("POST", "/api/sessions", wanted)
        return Made(made["id"], made["handle"], made["clock"]["now"])

    def errands(self, session: Made) -> dict[str, Errand]:
        """Return the calls that are possible in a session, by name."""
        state = self.request("GET", f"/api/sessions/{session.id}/state?app={APP}")
        return errands(state[APP], int(datetime.fromisoformat(session.now).timestamp()))

    def call(self, session: Made, errand: Errand, number: int) -> None:
        """One call through the control plane.

        Raises:
            AssertionError: when the app did not do it.
        """
        body = {"app": APP, "tool": errand.tool, "arguments": errand.arguments(number)}
        made = self.request("POST", f"/api/sessions/{session.id}/calls", body)
        assert made["ok"], made

    def bundle(self, run: str) -> bytes:
        """A run that is over, as one sealed file."""
        return self._client.get(f"/api/runs/{run}/bundle").raise_for_status().content

    def metric(self, name: str) -> float:
        """A sample of /metrics that has no labels."""
        lines = self._client.get("/metrics").raise_for_status().text.splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))

    def tool_count(self) -> int:
        """How many tools all apps have."""
        return sum(app["tools"] for app in self.request("GET", "/api/apps"))
