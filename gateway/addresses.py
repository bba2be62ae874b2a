"""Where a session is reached: the one place that knows how its addresses look."""

from __future__ import annotations

from starlette.requests import Request


def base_url(request: Request) -> str:
    """The gateway's address as this client knows it, which behind a proxy is not the one it listens on."""
    return str(request.base_url).rstrip("/")


def mcp_url(base: str, handle: str, app: str | None = None) -> str:
    """A session's address for MCP clients: that of all its apps, or of one."""
    return f"{base}/s/{handle}/mcp" if app is None else f"{base}/s/{handle}/{app}/mcp"


def page_url(base: str, session_id: str) -> str:
    """A session's page in the browser."""
    return f"{base}/sessions/{session_id}"
