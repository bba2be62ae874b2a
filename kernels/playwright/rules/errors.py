"""What goes wrong, in the words of Playwright 1.57.0 and of the server around it (@executeautomation/playwright-mcp-server
1.0.12).

Sentences and call logs, with their colours, were recorded from the server with Chromium 156.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import UNDEFINED, type_of
from soundstage.kernels.errors import AppError, ErrorKind

TIMEOUT_MS = 30_000
CLIENT_MS = 60_000
"""How long an MCP client waits for an answer, by the SDKs' default."""


class Refused(AppError):
    """What a tool answers, whole."""


class Failed(AppError):
    """What Playwright throws: `Operation failed: ` comes before it."""


class ConnectionLost(Failed):
    """What the server takes for a lost connection: it forgets the browser."""


class NoAnswer(AppError):
    """A call that never ends, as a client sees it that has waited."""

    def __init__(self, context: AppContext) -> None:
        super().__init__("unavailable", "Request timed out")
        context.wait(CLIENT_MS)


def call_log(*lines: str) -> str:
    """Playwright's log of what it tried; a line's own blanks say how deep it stands."""
    return "\nCall log:\n" + "".join(f"\x1b[2m{line}\x1b[22m\n" for line in lines)


def timed_out(doing: str, lines: Sequence[str]) -> Failed:
    return Failed("not_found", f"{doing}: Timeout {TIMEOUT_MS}ms exceeded.{call_log(*lines)}")


def string(doing: str, name: str, arguments: dict[str, Any]) -> str:
    """An argument that Playwright takes as a text.

    Raises:
        Failed: it is none.
    """
    value = arguments.get(name, UNDEFINED)
    if not isinstance(value, str):
        raise Failed("invalid", f"{doing}: {name}: expected string, got {type_of(value)}")
    return value


def refused(kind: ErrorKind, *lines: str) -> Refused:
    return Refused(kind, "\n".join(lines))
