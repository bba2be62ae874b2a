"""What goes wrong at Tavily's API, as the server (tavily-mcp 0.2.9, build/index.js) hands it on."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

_KINDS: dict[int, ErrorKind] = {400: "invalid", 432: "limit", 433: "limit", 500: "unavailable"}


class Refused(AppError):
    """The API answers with a status that axios takes for a failure; the body is not read."""

    def __init__(self, status: int) -> None:
        super().__init__(_KINDS[status], f"Request failed with status code {status}")


class Thrown(AppError):
    """An error that the server throws by itself, for HTTP 401 and 429: JSON-RPC's internal error."""
