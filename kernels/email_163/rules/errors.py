"""Errors in the words of the server and its libraries.

`TextReply` is a reply that reports a failure as text and preserves earlier changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError

_PATIENCE_MS = 60_000  # default timeout of MCP clients


@dataclass(frozen=True, slots=True)
class TextReply:
    """A reply; `ok` is true if it reports success."""

    text: str
    ok: bool = True


class MailError(AppError):
    """An error that the server prints after its prefix."""


class Hang(AppError):
    """The server never answers, and the client times out."""

    def __init__(self, context: AppContext) -> None:
        """Create the client's timeout error and advance the clock."""
        super().__init__("unavailable", "Request timed out")
        context.wait(_PATIENCE_MS)


class Crash(AppError):
    """The server's process crashes, and the client's connection closes."""

    def __init__(self) -> None:
        """Create the error that the client sees."""
        super().__init__("internal", "Connection closed")


def no_property(name: str, of: str) -> MailError:
    """Return JavaScript's error for a member of undefined or null."""
    return MailError("invalid_arguments", f"Cannot read properties of {of} (reading '{name}')")
