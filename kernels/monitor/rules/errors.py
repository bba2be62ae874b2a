"""Errors in the words of the server and of gopsutil, and the crash of its process."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class Refusal(AppError):
    """An error result (`mcp.NewToolResultError`)."""


class Panic(AppError):
    """The Go process crashes without a response."""

    def __init__(self) -> None:
        """Create the error that a client sees."""
        super().__init__("internal", "MCP error -32000: Connection closed")
