"""A trial's tools over MCP, one request at a time as sessionless clients do: a broken connection costs one call."""

from __future__ import annotations

import itertools
from types import TracebackType
from typing import Any

import httpx2

from soundstage.runs.models import Mcp

_REVISION = "2025-11-25"
_TIMEOUT_S = 120.0
_CLOSED = 410
UNAVAILABLE_STATUS = (502, 503, 504, 507)
"""Status codes of a gateway that is shutting down or whose disk is full, or of a proxy in front of a stopped one."""


class AddressClosed(Exception):
    """The trial is over: its address is closed."""


class GatewayUnavailable(Exception):
    """The connection is refused: the gateway is gone, or about to restart."""


class Tools:
    """A trial's tools; not thread-safe."""

    def __init__(self, mcp: Mcp) -> None:
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": _REVISION, **mcp.headers}
        beyond = not mcp.url.startswith("http://127.0.0.1:")
        self._url = mcp.url
        self._http = httpx2.Client(headers=headers, timeout=_TIMEOUT_S, verify=beyond, trust_env=beyond)
        self._numbers = itertools.count(1)

    def call(self, name: str, arguments: Any) -> Any:
        """Call a tool; return an MCP result, {"error": …}, or None if the connection broke without a reply.

        Raises:
            AddressClosed: The trial is over.
            GatewayAway: The gateway cannot be reached.
        """
        message = self._ask("tools/call", {"name": name, "arguments": arguments})
        return None if message is None else message.get("result", {"error": message.get("error")})

    def names(self) -> list[str]:
        """Return the names of the tools listed now; empty if the connection broke."""
        message = self._ask("tools/list", {}) or {}
        return [tool["name"] for tool in message.get("result", {}).get("tools", [])]

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": parameters}
        try:
            response = self._http.post(self._url, json=body)
        except httpx2.ConnectError as error:
            raise GatewayUnavailable(f"the trial's address refuses connections ({error})") from None
        except httpx2.TransportError:
            return None
        if response.status_code in UNAVAILABLE_STATUS:
            raise GatewayUnavailable(f"the trial's address returned status {response.status_code}")
        if response.status_code == _CLOSED:
            raise AddressClosed
        message: dict[str, Any] = response.json()
        return message

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def __enter__(self) -> Tools:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
