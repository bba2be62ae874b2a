"""Errors in Puppeteer's words (puppeteer 23.11.1), most of them recorded from the server with Chromium 156."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind

PROTOCOL_MS = 180_000
"""Protocol timeout in milliseconds. A command to a page with an open dialog takes this long, because no client closes dialogs."""
_HELP = "Increase the 'protocolTimeout' setting in launch/connect calls for a higher timeout if needed."


class Failed(AppError):
    """An exception of Puppeteer.

    A tool prefixes it with its own words (`Failed to click …`). Errors with `escapes` bypass the tool, and the MCP SDK reports
    them as internal errors.
    """

    def __init__(self, kind: ErrorKind, message: str, *, escapes: bool = False) -> None:
        """Create an error."""
        super().__init__(kind, message)
        self.escapes = escapes


def timed_out(context: AppContext, order: str) -> Failed:
    """Return the error of a command that the browser does not answer."""
    context.wait(PROTOCOL_MS)
    return Failed("unavailable", f"{order} timed out. {_HELP}")


def failed_to(doing: str, selector: object, error: Failed) -> Failed:
    """Prefix a failure with the tool's words."""
    return Failed(error.kind, f"Failed to {doing} {selector}: {error.message}")
