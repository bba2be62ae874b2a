"""Errors as the server returns them (@adenot/mcp-google-search 0.3.1, build/index.js)."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class SearchFailed(AppError):
    """Google rejects a search; `message` is Google's."""


class FetchFailed(AppError):
    """A page cannot be fetched; `message` is axios's."""


class InvalidParams(AppError):
    """The server rejects its arguments with an McpError, JSON-RPC code -32602."""

    def __init__(self, what: str) -> None:
        """Create the error."""
        super().__init__("invalid_arguments", f"Invalid {what} arguments")


class Thrown(AppError):
    """An exception that the server does not catch: a JSON-RPC internal error."""
