"""Errors of AMap's web services, and how the server reports them.

Source: `amap_mcp_server/server.py` of sugarforever/amap-mcp-server 478680e; the words are AMap's `info`.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

INVALID_USER_KEY = "INVALID_USER_KEY"
DAILY_QUERY_OVER_LIMIT = "DAILY_QUERY_OVER_LIMIT"
INVALID_PARAMS = "INVALID_PARAMS"
MISSING_REQUIRED_PARAMS = "MISSING_REQUIRED_PARAMS"
ENGINE_RESPONSE_DATA_ERROR = "ENGINE_RESPONSE_DATA_ERROR"
OVER_DIRECTION_RANGE = "OVER_DIRECTION_RANGE"
ROUTE_FAIL = "ROUTE_FAIL"

_KINDS: dict[str, ErrorKind] = {
    INVALID_USER_KEY: "unauthorized",
    DAILY_QUERY_OVER_LIMIT: "limit",
    INVALID_PARAMS: "invalid",
    MISSING_REQUIRED_PARAMS: "invalid",
    OVER_DIRECTION_RANGE: "invalid",
}


class AmapError(AppError):
    """An error that the server returns as {"error": message}, without marking it as an error."""


class Info(Exception):
    """A web service rejects a request; `info` is its code. Each tool adds a prefix for its operation."""

    def __init__(self, info: str) -> None:
        """Create the rejection."""
        super().__init__(info)
        self.info = info


def failed(doing: str, refusal: Info) -> AmapError:
    """Return a rejection with the tool's prefix."""
    return AmapError(_KINDS.get(refusal.info, "not_found"), f"{doing} failed: {refusal.info}")
