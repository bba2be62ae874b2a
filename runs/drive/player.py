"""A trial for an agent that knows its task: making calls, with or without retries after faults."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

from soundstage.client import requests
from soundstage.client.control import Control
from soundstage.client.shapes import JournalLine
from soundstage.grading.checks import Outcome
from soundstage.grading.oracle import OracleError, Script, ids_of, play
from soundstage.grading.task import OracleCall, Task
from soundstage.runs.drive.agent import Submission
from soundstage.runs.drive.tools import AddressClosed, Tools
from soundstage.runs.dry_run import DryRun, read_reply
from soundstage.runs.models import TrialDetail
from soundstage.servers.catalogue import load_app

MOST_RETRIES = 4

Make = Callable[[OracleCall, Any], Any]
"""A call of the script and its resolved arguments → the reply as scripts refer to it, or None."""


class TrialPlayer:
    """The trial's tools, and the control plane for data that agents cannot see; `over` is set when the attempt is void."""

    def __init__(
        self, known: TrialDetail, dry_run: DryRun, tools: Tools, control: Control, over: threading.Event
    ) -> None:
        self.dry_run = dry_run
        self.seed = known.seed
        self._session = str(known.session)
        self._tools = tools
        self._control = control
        self._over = over
        self._step = 0
        self._names: dict[str, str] = {}
        self._last_read: dict[str, tuple[OracleCall, Any]] = {}

    @property
    def task(self) -> Task:
        """The trial's task, with its solution."""
        return self.dry_run.task

    def play(self, script: Script, make: Make | None = None) -> Submission:
        """Make the script's calls, and return its answer; give up if a call cannot be made."""
        ids = ids_of(self.dry_run.names, self.dry_run.people)
        done: list[str] = []

        def filled(app: str, tool: str, arguments: Any) -> Any:
            return (make or self.call)(script.calls[len(done)], arguments)

        try:
            for label, _ in play(script, ids, filled):
                done.append(label)
        except OracleError as error:
            return Submission("gave_up", note=str(error))
        except AddressClosed:
            return Submission("gave_up", note="the address was closed before everything was done")
        return Submission(cast(Outcome, script.outcome), script.answer)

    def call(self, call: OracleCall, arguments: Any) -> Any:
        """Make one call, without handling failures."""
        if self._over.is_set():
            raise AddressClosed
        return read_reply(self._tools.call(self._name(call), arguments))

    def call_until_done(self, call: OracleCall, arguments: Any) -> Any:
        """Make the call up to four times, until the app has executed it and its true reply is known.

        The journal shows what happened, so the retries are optimal. If the reply of an executed call was lost, the call is not
        repeated: a read precedes, and the reply is taken from the journal.
        """
        reads = load_app(call.app).tools[call.tool].effect == "read"
        reply: Any = None
        for _ in range(1 + MOST_RETRIES):
            reply = self.call(call, arguments)
            lines = self._new_lines(call)
            if not lines:
                continue
            line = lines[-1]
            if line["ok"] and line["lost"] is None and not (reads and line["fault"] is not None):
                break
            unseen = next((line["lost"] for line in lines if line["lost"] is not None), None)
            if unseen is not None and not reads:
                if call.app in self._last_read:
                    self.call(*self._last_read[call.app])
                return read_reply(unseen)
            if line["error_kind"] == "unknown_tool":
                self._find_again(call)
        if reads:
            self._last_read[call.app] = call, arguments
        return reply

    def _new_lines(self, call: OracleCall) -> list[JournalLine]:
        """Return the journal lines of the newest call, which may have reached the app twice; empty if it did not arrive."""
        lines = self._control.send(requests.journal(self._session, after=self._step))
        self._step = max([self._step, *(line["step"] for line in lines)])
        app, name = load_app(call.app), self._name(call)
        return [line for line in lines if line["kind"] in ("call", "duplicate") and app.prefixed(line["tool"]) == name]

    def _name(self, call: OracleCall) -> str:
        return self._names.get(call.call) or load_app(call.app).prefixed(call.tool)

    def _find_again(self, call: OracleCall) -> None:
        """Look for a renamed tool: the new name begins like the old one."""
        app = load_app(call.app)
        old, known = app.prefixed(call.tool), {app.prefixed(name) for name in app.tools}
        for name in self._tools.names():
            if name.startswith(old) and name not in known:
                self._names[call.call] = name
