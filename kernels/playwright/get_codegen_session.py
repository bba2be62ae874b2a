"""The `get_codegen_session` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.playwright.rules.codegen import session
from soundstage.kernels.playwright.rules.errors import Refused
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the recorded actions and options of a recording."""
    recording = session(context, arguments.get("sessionId"))
    if recording is None:
        raise Refused("not_found", f"Session {text(arguments.get('sessionId', UNDEFINED))} not found")
    return recording
