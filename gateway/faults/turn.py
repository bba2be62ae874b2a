"""A call as a fault sees it: what was asked, how to let the app answer, and ways to act before or instead of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import apsw

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.faults import FaultWords, Hit
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool


@dataclass(slots=True)
class Turn:
    """The running call. `random` depends on the seed, the rule and the step alone.

    `local` is False for the tool of an upstream: there is then no state to look into.
    """

    context: Context
    app: App
    tool: Tool
    arguments: Arguments | None
    random: Random
    words: FaultWords
    run: Callable[[], Answer]
    local: bool = True
    mark: str = ""
    _answer: Answer | None = field(default=None, init=False)

    def answer(self) -> Answer:
        """The app's answer; it is asked once."""
        if self._answer is None:
            self._answer = self.run()
        return self._answer

    def worded(self, kind: str, seconds: float = 0) -> Answer:
        """A failure as the app's real server words it."""
        view = self.context.app(self.app.name) if self.local else None
        return self.words.wordings[kind](Hit(self.tool, self.arguments or {}, view, round(seconds)))

    def changed(self) -> bool:
        """Whether the call has changed anything so far."""
        return self.local and self.context.changed()

    def answer_of_the_past(self, steps: int) -> Answer | None:
        """What the app would have answered some steps ago; None where nothing has changed since."""
        meta = self.context.meta
        if not self.local or meta is None:
            return None
        since = journal.net_changeset(self.context, after=max(0, meta.step - steps))
        if not since:
            return None
        now = self.context.now_ms()
        apsw.Changeset.apply(apsw.Changeset.invert(since), self.context.connection)
        answer = self.run()
        self.context.rollback()
        self.context.begin(now)
        return answer

    def deliver_before(self) -> Answer:
        """Let the app do the call in a step of its own, before the one that is answered."""
        answer = self.run()
        row = (self.app.name, self.tool.name, self.arguments, answer.ok, answer.is_error, answer.error_kind)
        self._step(*row)
        return answer

    def change_before(self, name: str, change: Callable[[], bool]) -> bool:
        """Change the context as somebody else would, in a step before the call's; False where nothing was changed."""
        if not change():
            return False
        self._step(None, "drift", {"app": self.app.name, "drift": name}, True, None, None)
        return True

    def _step(
        self, app: str | None, tool: str, arguments: Any, ok: bool, is_error: bool | None, error_kind: str | None
    ) -> None:
        context, at_ms = self.context, self.context.now_ms()
        receipt = context.finish(ticks=False)
        assert context.meta is not None
        step = context.meta.step
        journal.append(
            context,
            journal.Row(step, at_ms, app, tool, arguments, ok, is_error, error_kind, None, self.mark, receipt, 0),
        )
        context.commit()
        context.begin(at_ms)
