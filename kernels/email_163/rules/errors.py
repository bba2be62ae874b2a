"""What goes wrong, in the words of the server and of the libraries that it is made of.

`Told` is a reply that tells of a failure in a text of its own, with what was changed before it kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError

_PATIENCE_MS = 60_000  # how long clients of MCP wait for an answer, unless told otherwise


@dataclass(frozen=True, slots=True)
class Told:
    """A reply; `ok` is whether it tells of a success."""

    text: str
    ok: bool = True


class MailError(AppError):
    """An error that the server shows behind its prefix."""


class Hang(AppError):
    """No answer ever comes, and the client gives up."""

    def __init__(self, context: AppContext) -> None:
        super().__init__("unavailable", "Request timed out")
        context.wait(_PATIENCE_MS)


class Crash(AppError):
    """The server's process ends; the client sees its connection close."""

    def __init__(self) -> None:
        super().__init__("internal", "Connection closed")


def no_property(name: str, of: str) -> MailError:
    """What JavaScript says when a member of nothing is read."""
    return MailError("invalid_arguments", f"Cannot read properties of {of} (reading '{name}')")
