"""The `start_codegen_session` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.codegen import DEFAULTS
from soundstage.kernels.playwright.rules.errors import Failed, Refused
from soundstage.kernels.playwright.rules.paths import full, make_folder, no_path
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any] | AppError:
    """Start a recording and create the folder for its test."""
    given = arguments.get("options")
    options = {**DEFAULTS, **(given if isinstance(given, dict) else {})}
    if not isinstance(options["outputPath"], str):
        return Refused("invalid", f"Failed to start codegen session: {no_path('path', options['outputPath'])}")
    path = options["outputPath"] if options["outputPath"].startswith("/") else full(options["outputPath"])
    options["outputPath"] = path
    try:
        make_folder(context, path)
    except Failed as error:
        return Refused(
            error.kind, f"Failed to start codegen session: Failed to create output directory: {error.message}"
        )
    for other in context.list("codegen_session", {"active": True}):
        context.update("codegen_session", other["sessionId"], {"active": False})
    row = context.create(
        "codegen_session", {"actions": [], "startTime": to_ms(context.now()), "options": options, "active": True}
    )
    message = f"Started codegen session. Tests will be generated in: {path}"
    return {"sessionId": row["sessionId"], "options": options, "message": message}
