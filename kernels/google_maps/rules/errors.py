"""What Google's web services refuse, and what the server makes of it.

The server shows an answer's `error_message`, or its status where there is none. Source: `dist/index.js` of
@modelcontextprotocol/server-google-maps 0.6.2.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

_KINDS: dict[str, ErrorKind] = {
    "ZERO_RESULTS": "not_found",
    "NOT_FOUND": "not_found",
    "DATA_NOT_AVAILABLE": "not_found",
    "MAX_DIMENSIONS_EXCEEDED": "limit",
    "MAX_ELEMENTS_EXCEEDED": "limit",
    "OVER_QUERY_LIMIT": "limit",
    "REQUEST_DENIED": "unauthorized",
}


class GoogleError(AppError):
    """A refusal; `message` is the text that the client sees."""


class Status(Exception):
    """A service answers with a status other than OK, and sometimes a message."""

    def __init__(self, status: str, message: str | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.message = message


def failed(doing: str, refusal: Status) -> GoogleError:
    """A refusal as a tool passes it on."""
    return GoogleError(_KINDS.get(refusal.status, "invalid"), f"{doing} failed: {refusal.message or refusal.status}")


def thrown(message: str) -> GoogleError:
    """A JavaScript exception in the tool's own code."""
    return GoogleError("invalid", f"Error: {message}")


def missing(what: str) -> Status:
    return Status("INVALID_REQUEST", f"Invalid request. Missing the {what} parameter.")


def invalid(what: str) -> Status:
    return Status("INVALID_REQUEST", f"Invalid request. Invalid '{what}' parameter.")
