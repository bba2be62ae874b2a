"""A call that exceeds its CPU budget is answered as the app's timeout, changes nothing, and is not run again by a replay."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from soundstage.contexts.engine import budget, journal
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App, app_names, load_app
from soundstage.servers.tool import Tool
from tests import built_worlds

NewSession = Callable[..., Session]
FOLDERS = "list_allowed_directories"


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(Settings(data=tmp_path, built=built_worlds.folder()))


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Callable[[Tool], list[str]]:
    """Replaces a tool's kernel with one that changes something and never ends. Returns the list of its runs."""
    monkeypatch.setattr(budget, "CALL_CPU_S", 0.01)

    def of(tool: Tool) -> list[str]:
        runs: list[str] = []

        def run(context: AppContext, arguments: Arguments) -> Any:
            runs.append(str(context.next_number("half")))
            context.wait(len(runs) * 1000)
            context.random.random()
            while True:
                try:
                    budget.check()
                except Exception as error:
                    raise AssertionError("a kernel can suppress the exception") from error

        monkeypatch.setitem(tool.__dict__, "kernel", run)
        return runs

    return of


def test_a_call_over_budget_returns_the_apps_timeout_and_changes_nothing(
    new_session: NewSession, endless: Callable[[Tool], list[str]]
) -> None:
    app, session = load_app("filesystem"), new_session(world="studio")
    runs = endless(app.tools[FOLDERS])
    before, counters = digest(session.context), session.context.read_meta().counters
    clock = session.context.read_meta().clock
    answer = dispatch(session, app, FOLDERS, {}).answer
    assert runs
    assert "ETIMEDOUT: connection timed out" in str(answer.wire())
    assert not answer.ok
    called, limit = journal.read(session.context)
    assert (called.kind, called.ok, called.error_kind, called.reply) == (
        "call",
        False,
        "budget_exceeded",
        answer.wire(),
    )
    assert (limit.kind, limit.arguments) == ("limit", {"step": called.step, "runs": [-1]})
    assert journal.changes(session.context, called.receipt.changeset) == []
    assert (digest(session.context), session.context.read_meta().counters) == (before, counters)
    waited = session.context.read_meta().clock.at_ms - clock.at_ms - clock.tick_ms
    assert waited == 1000 * budget.TIMEOUT_S


def test_a_replay_repeats_the_timeout_without_running_the_call(
    sessions: Sessions, new_session: NewSession, endless: Callable[[Tool], list[str]]
) -> None:
    app, session, again = load_app("filesystem"), new_session(world="studio"), new_session(world="studio")
    dispatch(session, app, "list_directory", {"path": "/"})
    runs = endless(app.tools[FOLDERS])
    dispatch(session, app, FOLDERS, {})
    dispatch(session, app, "list_directory", {"path": "/"})
    rows = list(journal.read(session.context))
    runs.clear()
    assert replay(sessions, rows, again) == []
    assert runs == []
    repeated = journal.read(again.context)
    assert [(r.kind, r.at_ms, r.error_kind, r.arguments, r.reply) for r in repeated] == [
        (r.kind, r.at_ms, r.error_kind, r.arguments, r.reply) for r in rows
    ]


def test_each_delivery_of_a_doubled_call_is_replayed_as_recorded(
    sessions: Sessions, new_session: NewSession, endless: Callable[[Tool], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, session, again = load_app("filesystem"), new_session(world="studio"), new_session(world="studio")
    sessions.set_faults(session, {"rules": [{"fault": "duplicate_delivery", "when": {"call": 1}}]})
    tool = app.tools["write_file"]
    kernel, made = tool.kernel, [0]

    def second_is_endless(context: AppContext, arguments: Arguments) -> Any:
        made[0] += 1
        if made[0] == 2:
            while True:
                budget.check()
        return kernel(context, arguments)

    monkeypatch.setattr(budget, "CALL_CPU_S", 0.05)
    monkeypatch.setitem(tool.__dict__, "kernel", second_is_endless)
    dispatch(session, app, tool.name, {"path": "/srv/workspace/twice.txt", "content": "once"})
    rows = list(journal.read(session.context))
    assert [row.kind for row in rows] == ["faults", "duplicate", "call", "limit"]
    assert rows[3].arguments["runs"] == [-2]
    assert replay(sessions, rows, again) == []
    assert made[0] == 3
    assert digest(again.context) == digest(session.context)
    assert [row.arguments for row in journal.read(again.context)] == [row.arguments for row in rows]


def test_a_replay_gives_a_call_more_time_than_it_had(
    sessions: Sessions, new_session: NewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, session, again = load_app("filesystem"), new_session(world="studio"), new_session(world="studio")
    tool = app.tools[FOLDERS]
    allowed: list[float] = []

    def run(context: AppContext, arguments: Arguments) -> Any:
        allowed.append(budget.left())
        return []

    monkeypatch.setitem(tool.__dict__, "kernel", run)
    dispatch(session, app, FOLDERS, {})
    assert replay(sessions, journal.read(session.context), again) == []
    first, second = allowed
    assert first <= budget.CALL_CPU_S < second
    assert budget.left() == float("inf")


@pytest.mark.parametrize("app", [load_app(name) for name in app_names()], ids=lambda app: app.name)
def test_every_tool_has_a_timeout_text(app: App, new_session: NewSession, endless: Callable[[Tool], list[str]]) -> None:
    session = new_session(world="studio")
    for tool in app.tools.values():
        runs = endless(tool)
        call = dispatch(session, app, tool.name, {})
        if runs:  # else the arguments were refused first
            assert call.answer.error_kind == "budget_exceeded", tool.name
            assert call.reply, tool.name


def test_a_sqlite_statement_ends_with_the_budget(new_session: NewSession, monkeypatch: pytest.MonkeyPatch) -> None:
    app, session = load_app("filesystem"), new_session(world="studio")
    tool = app.tools[FOLDERS]

    def run(context: AppContext, arguments: Arguments) -> Any:
        session.context.ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")

    monkeypatch.setattr(budget, "CALL_CPU_S", 0.01)
    monkeypatch.setitem(tool.__dict__, "kernel", run)
    assert dispatch(session, app, FOLDERS, {}).answer.error_kind == "budget_exceeded"
    monkeypatch.undo()
    assert dispatch(session, app, FOLDERS, {}).answer.ok


ENDLESS = """
import re
from soundstage.contexts.engine import budget

budget.interrupt_runs()
for run in (lambda: [None for _ in iter(int, 1)], lambda: re.fullmatch("(a+)+b", "a" * 60)):
    budget.start(0.01)
    try:
        run()
    except budget.BudgetExceeded:
        print("stopped", flush=True)
    finally:
        budget.stop()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interval timers")
def test_endless_python_code_and_regular_expressions_are_interrupted() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("stopped\nstopped\n", "", 0)


def test_work_done_once_per_process_does_not_count() -> None:
    budget.start(0.01)
    try:
        with budget.paused():
            until = time.thread_time() + 0.02
            while time.thread_time() < until:
                budget.check()
        budget.check()
    finally:
        budget.stop()
