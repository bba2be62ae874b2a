"""Errors of Google's web services, and the server's messages for them.

The server shows a response's `error_message`, or its status if there is none. Source: `dist/index.js` of
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
    """An error; `message` is the text that the client receives."""


class Status(Exception):
    """A service returns a status other than OK, sometimes with a message."""

    def __init__(self, status: str, message: str | None = None) -> None:
        """Create the rejection."""
        super().__init__(status)
        self.status = status
        self.message = message


def failed(doing: str, refusal: Status) -> GoogleError:
    """Return a rejection with the tool's prefix."""
    return GoogleError(_KINDS.get(refusal.status, "invalid"), f"{doing} failed: {refusal.message or refusal.status}")


def thrown(message: str) -> GoogleError:
    """Return a JavaScript exception in the tool's own code."""
    return GoogleError("invalid", f"Error: {message}")


def missing(what: str) -> Status:
    """Return the error for a missing parameter."""
    return Status("INVALID_REQUEST", f"Invalid request. Missing the {what} parameter.")


def invalid(what: str) -> Status:
    """Return the error for an invalid parameter."""
    return Status("INVALID_REQUEST", f"Invalid request. Invalid '{what}' parameter.")
