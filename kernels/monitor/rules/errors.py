"""What the server refuses, in words of its own around those of gopsutil; and the end of its process."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class Refusal(AppError):
    """`mcp.NewToolResultError`."""


class Panic(AppError):
    """Go's process ends without an answer."""

    def __init__(self) -> None:
        super().__init__("internal", "MCP error -32000: Connection closed")
