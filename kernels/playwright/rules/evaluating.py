"""Script errors in Playwright's format: V8's stack trace, including Playwright's evaluation functions."""

from __future__ import annotations

from soundstage.kernels.engines.browser.errors import Frame, ScriptError

_BELOW = (
    "    at eval (<anonymous>)\n"
    "    at UtilityScript.evaluate (<anonymous>:290:30)\n"
    "    at UtilityScript.<anonymous> (<anonymous>:1:44)"
)
_MOST = 10
"""Number of frames that V8 captures."""


def message_of(error: ScriptError) -> str:
    """Format an error with its stack; values that are not Errors are formatted alone."""
    if error.name is None:
        return error.message
    lines = [_line(frame) for frame in error.frames]
    lines += _BELOW.split("\n")
    return "\n".join([error.text, *lines[:_MOST]])


def _line(frame: Frame) -> str:
    if not frame.line:
        return f"    at {frame.name} (<anonymous>)"
    return f"    at {frame.name or 'eval'} (eval at evaluate (:290:30), <anonymous>:{frame.line}:{frame.column})"
