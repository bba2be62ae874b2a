"""Errors of Tavily's API as the server returns them (tavily-mcp 0.2.9, build/index.js)."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

_KINDS: dict[int, ErrorKind] = {400: "invalid", 432: "limit", 433: "limit", 500: "unavailable"}


class Refused(AppError):
    """The API returns an error status; axios does not read the body."""

    def __init__(self, status: int) -> None:
        """Create the error of a status."""
        super().__init__(_KINDS[status], f"Request failed with status code {status}")


class Thrown(AppError):
    """An exception of the server for HTTP 401 and 429: a JSON-RPC internal error."""
