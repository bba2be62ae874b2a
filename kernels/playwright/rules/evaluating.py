"""What a script threw, as Playwright tells it: V8's stack, through the functions that Playwright runs scripts in."""

from __future__ import annotations

from soundstage.kernels.engines.browser.errors import Frame, ScriptError

_BELOW = (
    "    at eval (<anonymous>)\n"
    "    at UtilityScript.evaluate (<anonymous>:290:30)\n"
    "    at UtilityScript.<anonymous> (<anonymous>:1:44)"
)
_MOST = 10
"""How many frames V8 keeps."""


def said(error: ScriptError) -> str:
    """An error with its stack; what is no Error is told by itself."""
    if error.name is None:
        return error.message
    lines = [_line(frame) for frame in error.frames]
    lines += _BELOW.split("\n")
    return "\n".join([error.text, *lines[:_MOST]])


def _line(frame: Frame) -> str:
    if not frame.line:
        return f"    at {frame.name} (<anonymous>)"
    return f"    at {frame.name or 'eval'} (eval at evaluate (:290:30), <anonymous>:{frame.line}:{frame.column})"
