"""What answered the calls of a journal. It is the same for all calls of a tool, so no step writes it down: it follows from the
apps when the journal is read.
"""

from __future__ import annotations

from typing import Literal

from soundstage.app_roots import root_of
from soundstage.contexts.broken import BrokenApp
from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context, read_versions
from soundstage.gateway.faults.record import Record
from soundstage.servers.catalogue import App, UnknownApp, load_app
from soundstage.servers.tool import AnsweredBy

Answered = Literal[AnsweredBy, "upstream", "model", "gateway"]
"""A kernel, the engine of apps without one, nothing that was measured well enough (`none`); a real server beside the simulated
ones, a language model that a kernel has asked, or the gateway's own tools, such as those for finding tools.
"""


class Answerers:
    """What answers the tools of a context's apps. What was found out about a tool is kept for the next of its calls."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tools: dict[tuple[str, str], tuple[AnsweredBy | None, bool]] = {}
        self._made_with: dict[str, str] | None = None

    def of(self, row: journal.Row, fault: Record) -> Answered | None:
        """What answered a step, or would have but for the fault that struck it. None where no tool was called, or none that the
        app has.

        An app of a root may be another one by now than when the session was made, and a tool of it answered by something else.
        Then the line itself says it: nothing but a tool without an accepted simulation is answered as `unavailable`.
        """
        if row.kind == "upstream" or row.kind == "model":
            return row.kind
        if row.kind == "search":
            return "gateway"
        if row.app is None or row.kind not in ("call", "duplicate"):
            return None
        key = (row.app, fault.called or row.tool)
        if key not in self._tools:
            self._tools[key] = self._found(*key)
        by, for_sure = self._tools[key]
        if by is None or for_sure or fault.landed:
            return by
        return "none" if row.error_kind == "unavailable" else "kernel"

    def _found(self, name: str, tool: str) -> tuple[AnsweredBy | None, bool]:
        """What answers a tool today, and whether that was so when the session was made."""
        try:
            app = load_app(name)
        except (BrokenApp, UnknownApp):
            return None, True
        by = answered_by(app, tool)
        if root_of(name) is None:  # the package's own apps have a kernel for whatever can be called
            return by, True
        if self._made_with is None:
            self._made_with = read_versions(self._context.connection)
        return by, self._made_with.get(name) == app.version


def answered_by(app: App, tool: str) -> AnsweredBy | None:
    """What answers a tool of an app; None for a name that it does not have."""
    found = app.tools.get(tool) or app.older.get(tool) or app.unanswered.get(tool) or app.any_name
    return None if found is None else found.answered_by
