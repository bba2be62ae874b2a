"""A call as a fault sees it: the request, the app's answer, and ways to act before or instead of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import apsw

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.step import Step
from soundstage.contexts.engine.store import Context
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.faults import FaultWords, Hit
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool


@dataclass(slots=True)
class InterceptedCall:
    """The running call. `random` depends on the seed, the rule and the step alone.

    A tool of an upstream, whose state is unknown, has no `step`. `mark` creates the journal's record of the fault, with
    this detail, for a step that the fault makes before the call's.
    """

    context: Context
    app: App
    tool: Tool
    arguments: Arguments | None
    random: Random
    words: FaultWords
    run: Callable[[], Answer]
    step: Step | None = None
    mark: Callable[[dict[str, Any] | None], str] = lambda detail: ""
    _answer: Answer | None = field(default=None, init=False)

    def answer(self) -> Answer:
        """The app's answer; the app is called once."""
        if self._answer is None:
            self._answer = self.run()
        return self._answer

    def failure(self, kind: str, seconds: float = 0) -> Answer:
        """Return a failure in the wording of the app's real server."""
        view = None if self.step is None else self.context.app(self.app.name)
        return self.words.wordings[kind](Hit(self.tool, self.arguments or {}, view, round(seconds)))

    def changed(self) -> bool:
        """Whether the call has changed anything yet."""
        return self.step is not None and self.context.has_changes()

    def past_answer(self, steps: int) -> Answer | None:
        """Return the app's answer in the state some steps ago, or None if nothing has changed since."""
        if self.step is None:
            return None
        since = journal.net_changeset(self.context, after=max(0, self.step.meta.step - steps))
        if not since:
            return None
        apsw.Changeset.apply(apsw.Changeset.invert(since), self.context.connection)
        answer = self.run()
        self.step.undo_changes()
        return answer

    def run_before(self) -> Answer | None:
        """Run the call in a separate step before the answered one. Returns None for an upstream's tool."""
        if self.step is None:
            return None
        answer = self.run()
        self.step.split(
            "duplicate",
            self.tool.name,
            self.arguments,
            app=self.app.name,
            ok=answer.ok,
            is_error=answer.is_error,
            error_kind=answer.error_kind,
            fault=self.mark({"lost": answer.wire()}),
        )
        return answer

    def change_before(
        self, name: str, change: Callable[[], bool], spares: Mapping[str, Collection[str]] | None = None
    ) -> bool:
        """Change the context as another person, in a step before the call's. Returns False if nothing changed.

        A change of a protected object is rolled back (`app/entity` → keys, with several columns joined by a slash).
        """
        if self.step is None or not change():
            return False
        if spares and self._affects(spares):
            self.step.undo_changes()
            return False
        self.step.split("drift", "drift", {"app": self.app.name, "drift": name}, fault=self.mark(None))
        return True

    def _affects(self, spares: Mapping[str, Collection[str]]) -> bool:
        changes = journal.changes(self.context, self.context.changes_so_far())
        return any(
            "/".join(map(str, change["id"] if isinstance(change["id"], list) else [change["id"]]))
            in spares.get(f"{change['app']}/{change['entity']}", ())
            for change in changes
        )

    def record_request(self, wish: str) -> None:
        """Record a mid-task user request in a step before the call's, and call the app again after it."""
        if self.step is None:
            return
        self.step.undo_changes()
        self.step.split("wish", "wish", {"app": self.app.name, "wish": wish}, fault=self.mark(None))
        self._answer = None
