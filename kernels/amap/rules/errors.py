"""What AMap's web services refuse, and how the server passes it on.

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
    """What the server answers as {"error": message}, which no flag marks."""


class Info(Exception):
    """A web service refuses; `info` is its word for it. Every tool says before it what it was about to do."""

    def __init__(self, info: str) -> None:
        super().__init__(info)
        self.info = info


def failed(doing: str, refusal: Info) -> AmapError:
    """A refusal as a tool passes it on."""
    return AmapError(_KINDS.get(refusal.info, "not_found"), f"{doing} failed: {refusal.info}")
