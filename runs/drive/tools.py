"""A trial's tools over MCP, asked one request at a time, as clients without sessions do: a broken connection costs one call."""

from __future__ import annotations

import itertools
from types import TracebackType
from typing import Any

import httpx2

from soundstage.runs.models import Mcp

_REVISION = "2025-11-25"
_TIMEOUT_S = 120.0
_CLOSED = 410
AWAY = (502, 503, 504)
"""What a gateway that ends, or a proxy before one that has ended, answers with."""


class AddressClosed(Exception):
    """The trial is over: its address answers nothing any more."""


class GatewayAway(Exception):
    """Nobody listens at the address: the gateway is gone, or about to come back."""


class Tools:
    """What an agent has of a trial. It can be used by one thread at a time."""

    def __init__(self, mcp: Mcp) -> None:
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": _REVISION, **mcp.headers}
        beyond = not mcp.url.startswith("http://127.0.0.1:")
        self._url = mcp.url
        self._http = httpx2.Client(headers=headers, timeout=_TIMEOUT_S, verify=beyond, trust_env=beyond)
        self._numbers = itertools.count(1)

    def call(self, name: str, arguments: Any) -> Any:
        """What a tool answers: an MCP result, or {"error": …}; None where the connection broke without an answer.

        Raises:
            AddressClosed: the trial is over.
            GatewayAway: nobody is there to be called.
        """
        told = self._ask("tools/call", {"name": name, "arguments": arguments})
        return None if told is None else told.get("result", {"error": told.get("error")})

    def names(self) -> list[str]:
        """The tools that are listed now; none where the connection broke."""
        told = self._ask("tools/list", {}) or {}
        return [tool["name"] for tool in told.get("result", {}).get("tools", [])]

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": parameters}
        try:
            response = self._http.post(self._url, json=body)
        except httpx2.ConnectError as error:
            raise GatewayAway(f"nobody listens at the trial's address ({error})") from None
        except httpx2.TransportError:
            return None
        if response.status_code in AWAY:
            raise GatewayAway(f"the trial's address says {response.status_code}")
        if response.status_code == _CLOSED:
            raise AddressClosed
        told: dict[str, Any] = response.json()
        return told

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Tools:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
