"""The `end_codegen_session` tool."""

from __future__ import annotations

from posixpath import dirname
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.engines.javascript import UNDEFINED, is_true, text
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.codegen import session, test_code, test_path
from soundstage.kernels.playwright.rules.errors import Failed, Refused
from soundstage.kernels.playwright.rules.paths import make_folder, write
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any] | AppError:
    """End a recording and write its test; the browser stays open, because the server looks for it in the wrong place."""
    recording = session(context, arguments.get("sessionId"))
    if recording is None:
        return _refused("not_found", f"Session {text(arguments.get('sessionId', UNDEFINED))} not found")
    context.update("codegen_session", recording["id"], {"endTime": to_ms(context.now()), "active": False})
    if (wrong := _no_options(recording["options"])) is not None:
        return _refused("invalid", wrong)
    code, path = test_code(recording), test_path(recording["options"], recording["id"])
    folder = dirname(path)
    try:
        make_folder(context, folder)
        write(context, path, code.encode())
    except Failed as error:
        return _refused(error.kind, error.message)
    message = f"Generated test file at: {path}\nOutput directory: {folder}"
    return {"filePath": path, "outputDirectory": folder, "testCode": code, "message": message}


def _no_options(options: dict[str, Any]) -> str | None:
    """Return why the options are unusable, or None."""
    if is_true(options.get("testNamePrefix")) and not isinstance(options["testNamePrefix"], str):
        return "testNamePrefix must be a string"
    comments = options.get("includeComments", UNDEFINED)
    return "includeComments must be a boolean" if comments is not UNDEFINED and not isinstance(comments, bool) else None


def _refused(kind: Any, words: str) -> Refused:
    return Refused(kind, f"Failed to end codegen session: {words}")
