"""The `clear_codegen_session` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.playwright.rules.errors import Refused
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, bool]:
    """Delete a recording."""
    key = arguments.get("sessionId")
    if not isinstance(key, str) or not context.delete("codegen_session", key):
        raise Refused("not_found", f"Session {text(arguments.get('sessionId', UNDEFINED))} not found")
    return {"success": True}
