"""What goes wrong, as the server (@adenot/mcp-google-search 0.3.1, build/index.js) hands it on."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class SearchFailed(AppError):
    """Google refuses; `message` is Google's own."""


class FetchFailed(AppError):
    """A page cannot be had; `message` is axios's."""


class InvalidParams(AppError):
    """The server's own check of its arguments: an McpError, JSON-RPC's -32602."""

    def __init__(self, what: str) -> None:
        super().__init__("invalid_arguments", f"Invalid {what} arguments")


class Thrown(AppError):
    """An exception that nothing in the server catches: JSON-RPC's internal error."""
