"""What `evaluate` says of values and errors: the message of an Error and what of its stack Puppeteer does not take off."""

from __future__ import annotations

from soundstage.kernels.engines.browser.errors import ScriptError

_SOURCE = (
    "pptr:evaluate;handleToolCall%20(file%3A%2F%2F%2Fusr%2Flib%2Fnode_modules%2F%40modelcontextprotocol%2F"
    "server-puppeteer%2Fdist%2Findex.js%3A331%3A43)"
)
"""What Puppeteer calls a script that the server evaluates, by the line of the server's that does."""


def said(error: ScriptError) -> str:
    """An error as Puppeteer tells it. It takes as many lines off the end of the stack as the browser names frames, which are
    those of scripts: for every built-in function on the way a line stays. Of what is no Error only an object's kind is told.
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
