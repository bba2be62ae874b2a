"""The calls of one app, for its page."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.store import Context
from soundstage.servers.view import Call


class OwnCalls:
    """The calls of an app's tools in a context; see `soundstage.servers.view.Calls`."""

    def __init__(self, context: Context, app: str) -> None:
        self._context = context
        self._app = app

    def newest(self, limit: int, before: int | None = None) -> list[Call]:
        """Return the newest calls of the app before a step, newest first."""
        rows: Any = self._context.execute(
            "SELECT step FROM _journal WHERE kind = 'call' AND app = ? AND step < ? ORDER BY step DESC LIMIT ?",
            (self._app, 2**62 if before is None else before, limit),
        ).fetchall()
        return [call for (step,) in rows if (call := self.at(step)) is not None]

    def at(self, step: int) -> Call | None:
        """Return the app's call in a step, or None."""
        row = next(journal.read(self._context, after=step - 1, limit=1), None)
        if row is None or row.step != step or row.kind != "call" or row.app != self._app:
            return None
        arguments = row.arguments if isinstance(row.arguments, dict) else {}
        return Call(row.step, from_ms(row.at_ms), row.tool, arguments, row.ok, _text(row.reply))


def _text(reply: Any) -> str:
    """Return the texts of an answer, or a protocol error's message; empty if none was sent."""
    if not isinstance(reply, dict):
        return ""
    blocks = reply.get("content")
    if isinstance(blocks, list):
        return "\n".join(str(block["text"]) for block in blocks if isinstance(block, dict) and "text" in block)
    return str((reply.get("error") or {}).get("message") or "")
