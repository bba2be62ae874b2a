"""Errors in the words of Playwright 1.57.0 and of its server (@executeautomation/playwright-mcp-server 1.0.12).

Messages and call logs, including their colours, were recorded from the server with Chromium 156.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import UNDEFINED, type_of
from soundstage.kernels.errors import AppError, ErrorKind

TIMEOUT_MS = 30_000
CLIENT_MS = 60_000
"""Request timeout of an MCP client in milliseconds, the default of the SDKs."""


class Refused(AppError):
    """An error whose message is the tool's complete reply."""


class Failed(AppError):
    """An exception of Playwright; the server prefixes it with `Operation failed: `."""


class ConnectionLost(Failed):
    """An error that the server treats as a lost connection, after which it forgets the browser."""


class NoAnswer(AppError):
    """A call that never ends, as a client sees it after its timeout."""

    def __init__(self, context: AppContext) -> None:
        """Create the error and advance the clock by the client's timeout."""
        super().__init__("unavailable", "Request timed out")
        context.wait(CLIENT_MS)


def call_log(*lines: str) -> str:
    """Format Playwright's call log; leading spaces of a line show its nesting."""
    return "\nCall log:\n" + "".join(f"\x1b[2m{line}\x1b[22m\n" for line in lines)


def timed_out(doing: str, lines: Sequence[str]) -> Failed:
    """Return the error of an expired timeout."""
    return Failed("not_found", f"{doing}: Timeout {TIMEOUT_MS}ms exceeded.{call_log(*lines)}")


def string(doing: str, name: str, arguments: dict[str, Any]) -> str:
    """Return a string argument.

    Raises:
        Failed: The argument is not a string.
    """
    value = arguments.get(name, UNDEFINED)
    if not isinstance(value, str):
        raise Failed("invalid", f"{doing}: {name}: expected string, got {type_of(value)}")
    return value


def refused(kind: ErrorKind, *lines: str) -> Refused:
    """Return an error with several lines."""
    return Refused(kind, "\n".join(lines))
