"""Evaluation results and errors: an Error's message and the part of its stack that Puppeteer does not remove."""

from __future__ import annotations

from soundstage.kernels.engines.browser.errors import ScriptError

_SOURCE = (
    "pptr:evaluate;handleToolCall%20(file%3A%2F%2F%2Fusr%2Flib%2Fnode_modules%2F%40modelcontextprotocol%2F"
    "server-puppeteer%2Fdist%2Findex.js%3A331%3A43)"
)
"""Puppeteer's name for a script that the server evaluates, which encodes the line of the server's code."""


def message_of(error: ScriptError) -> str:
    """Format an error like Puppeteer.

    Puppeteer removes one line from the end of the stack per frame that the browser reports. The browser reports only script
    frames, so one line remains for each built-in function. For values that are not Errors only an object's type is shown.
    """
    if error.name is None:
        return error.message if error.message == "Object" else "undefined"
    if error.name == "SyntaxError" and error.message.startswith("Failed to execute"):
        return error.text
    staying = error.frames[: sum(1 for frame in error.frames if not frame.line)]
    lines = [
        _place(frame.name, frame.line, frame.column) if frame.line else f"{frame.name} (<anonymous>)"
        for frame in staying
    ]
    return "\n".join([error.message, *lines])


def _place(name: str | None, line: int, column: int) -> str:
    spot = f"{_SOURCE}:{line}:{column}"
    return spot if name is None else f"{name} ({spot})"
