"""The sources of a journal's answers.

The source is the same for all calls of a tool, so steps do not record it: it is derived from the apps when the journal is read.
"""

from __future__ import annotations

from typing import Literal

from soundstage.app_roots import root_of
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context, read_versions
from soundstage.gateway.faults.record import Record
from soundstage.servers.catalogue import App, UnknownApp, load_app
from soundstage.servers.tool import AnsweredBy

Answered = Literal[AnsweredBy, "upstream", "model", "gateway"]
"""A kernel, the engine of apps without one, no accepted simulation (`none`), an upstream, a language model that a kernel has
asked, or the gateway's own tools, such as the search tools.
"""


class AnswerSources:
    """Finds the sources of answers for the tools of a context's apps, and caches them by tool."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tools: dict[tuple[str, str], tuple[AnsweredBy | None, bool]] = {}
        self._versions_at_creation: dict[str, str] | None = None

    def of(self, row: journal.Row, fault: Record) -> Answered | None:
        """Return the source of a step's answer, or of the answer that a fault replaced. None without a tool of the app.

        A generated app may have changed since the session was created, and the source of its tool with it. Then the line itself
        decides: only a tool without an accepted simulation is answered as `unavailable`.
        """
        if row.kind == "upstream" or row.kind == "model":
            return row.kind
        if row.kind == "search":
            return "gateway"
        if row.app is None or row.kind not in ("call", "duplicate"):
            return None
        key = (row.app, fault.called or row.tool)
        if key not in self._tools:
            self._tools[key] = self._sources(*key)
        by, unchanged = self._tools[key]
        if by is None or unchanged or fault.landed:
            return by
        return "none" if row.error_kind == "unavailable" else "kernel"

    def _sources(self, name: str, tool: str) -> tuple[AnsweredBy | None, bool]:
        """Return a tool's source today, and whether it was the same when the session was created."""
        try:
            app = load_app(name)
        except (BrokenApp, UnknownApp):
            return None, True
        by = answered_by(app, tool)
        if root_of(name) is None:  # the package's own apps have a kernel for every tool
            return by, True
        if self._versions_at_creation is None:
            self._versions_at_creation = read_versions(self._context.connection)
        return by, self._versions_at_creation.get(name) == app.version


def answered_by(app: App, tool: str) -> AnsweredBy | None:
    """Return the source of a tool's answers; None for an unknown name."""
    declared = app.tools.get(tool) or app.older.get(tool) or app.unanswered.get(tool) or app.any_name
    return None if declared is None else declared.answered_by
