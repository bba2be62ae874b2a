"""Errors of the server itself."""

from __future__ import annotations

from soundstage.kernels.errors import AppError


class NoKey(AppError):
    """The server was started without a key for Tavily."""

    def __init__(self) -> None:
        """Create the error."""
        words = "Please configure the `TAVILY_API_KEY` environment variable, get it from https://tavily.com/"
        super().__init__("unauthorized", words)
