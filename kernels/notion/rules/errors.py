"""Errors of Notion's API as the MCP server passes them on, and the server's own.

The server drops the API's error body and shows one line with its status, code and message (source: `NotionApiError` in
https://github.com/suekou/mcp-notion-server).
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.kernels.errors import AppError, ErrorKind

_KINDS: dict[str, ErrorKind] = {
    "invalid_request_url": "invalid",
    "object_not_found": "not_found",
    "restricted_resource": "permission",
    "unauthorized": "unauthorized",
    "validation_error": "invalid",
}


class NotionError(AppError):
    """A failed call; `message` is the text that the server shows."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A kernel's reply when a later step failed; unlike an error, it does not roll back the earlier writes."""

    error: NotionError


def api_error(status: int, code: str, message: str) -> NotionError:
    """Return a failure of the API."""
    return NotionError(_KINDS[code], f"Notion API request failed ({status} {code}): {message}")


def invalid(message: str) -> NotionError:
    """Return the API's most common failure, 400 validation_error."""
    return api_error(400, "validation_error", message)


def server_error(message: str) -> NotionError:
    """Return an error of the MCP server itself, raised before any request to the API."""
    return NotionError("invalid", message)
