"""What goes wrong, in Puppeteer's words (puppeteer 23.11.1): most of it recorded from the server with Chromium 156."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind

PROTOCOL_MS = 180_000
"""How long an order to the browser may take. One whose page shows a dialog takes that long: nobody closes it."""
_HELP = "Increase the 'protocolTimeout' setting in launch/connect calls for a higher timeout if needed."


class Failed(AppError):
    """What Puppeteer throws. A tool puts its own words before it (`Failed to click …`), but for the errors that escape it
    (`escapes`), which MCP's SDK answers as an internal error."""

    def __init__(self, kind: ErrorKind, message: str, *, escapes: bool = False) -> None:
        super().__init__(kind, message)
        self.escapes = escapes


def timed_out(context: AppContext, order: str) -> Failed:
    """An order that the browser does not answer."""
    context.wait(PROTOCOL_MS)
    return Failed("unavailable", f"{order} timed out. {_HELP}")


def failed_to(doing: str, selector: object, error: Failed) -> Failed:
    """A failure as its tool tells it."""
    return Failed(error.kind, f"Failed to {doing} {selector}: {error.message}")
