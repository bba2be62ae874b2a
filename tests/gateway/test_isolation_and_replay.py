"""Random interleaved calls on many sessions: sessions are isolated, and each journal replays to the same bytes."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soundstage.contexts.engine import journal, state, tree
from soundstage.contexts.engine.store import digest, read_versions
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_apps
from tests import built_worlds
from tests.gateway.calls import ArgumentMaker, texts_of

APPS = list(load_apps().values())


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(Settings(data=tmp_path, built=built_worlds.folder()))


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=5, max_size=40))
def test_interleaved_sessions_are_isolated_and_replay_to_the_same_bytes(
    sessions: Sessions, new_session: Callable[..., Session], seed: int, plan: list[tuple[int, bool]]
) -> None:
    running = [new_session(world="studio", seed=n) for n in range(4)]
    known = sorted({t for t in texts_of(state.dump(running[0].context)) if len(t) < 100})[:500]
    maker = ArgumentMaker(seed, known)
    for number, fitting in plan:
        app = maker.random.choice(APPS)
        tool = maker.random.choice(list(app.tools.values()))
        dispatch(running[number], app, tool.name, maker.fitting(tool) if fitting else maker.broken(tool))
    for number, session in enumerate(running):
        mine = [position for position, (n, _) in enumerate(plan) if n == number]
        assert journal.last_step(session.context) == len(mine)
        again = new_session(world="studio", seed=number)
        rows = list(journal.read(session.context))
        assert replay(sessions, rows, again) == []
        assert digest(again.context) == digest(session.context)
        assert state.dump(again.context) == state.dump(session.context)


def test_a_replay_across_versions_reports_the_versions(sessions: Sessions, new_session: Callable[..., Session]) -> None:
    slack = load_apps()["slack"]
    session = new_session(world="studio", seed=1)
    made_with = read_versions(session.context.connection)
    dispatch(session, slack, "slack_post_message", {"channel_id": "nowhere", "text": "Good morning"})
    dispatch(session, slack, "slack_get_users", {})
    (refused, answered) = journal.read(session.context)
    rows = [replace(refused, reply={}), answered]
    (same,) = replay(sessions, rows, new_session(world="studio", seed=1), made_with=made_with)
    (across,) = replay(sessions, rows, new_session(world="studio", seed=1), made_with={"slack": "of before"})
    assert (same.step, same.versions) == (1, None)
    assert (across.step, across.versions) == (1, ("of before", slack.version))


def test_no_session_sees_rows_of_another(new_session: Callable[..., Session]) -> None:
    lark = load_apps()["lark"]
    running = [new_session(world="studio", seed=n) for n in range(5)]
    start = state.dump(running[0].context)
    for turn in range(20):
        for number, session in enumerate(running):
            data = {"summary": f"secret of session {number}, turn {turn}"}
            dispatch(session, lark, "task_v2_task_create", {"data": data})
    for number, session in enumerate(running):
        seen = json.dumps(state.dump(session.context))
        assert f"secret of session {number}," in seen
        assert not any(f"secret of session {other}," in seen for other in range(5) if other != number)
        journal.rewind(session.context, 0)
        assert state.dump(session.context) == start


@pytest.mark.long
def test_forty_sessions_with_22400_calls_are_isolated_and_replay_to_the_same_bytes(
    sessions: Sessions, new_session: Callable[..., Session]
) -> None:
    running = [new_session(world="studio", seed=n) for n in range(40)]
    known = sorted({t for t in texts_of(state.dump(running[0].context)) if len(t) < 100})[:500]
    marks = [f"mark {n} of its own" for n in range(len(running))]
    makers = [ArgumentMaker(n, [*known, *([mark] * 300)]) for n, mark in enumerate(marks)]
    chance = random.Random(40)
    for _ in range(22_400):
        number = chance.randrange(len(running))
        app = chance.choice(APPS)
        tool = chance.choice(list(app.tools.values()))
        maker = makers[number]
        dispatch(running[number], app, tool.name, maker.fitting(tool) if chance.random() < 0.7 else maker.broken(tool))
    occurrences = 0
    for number, session in enumerate(running):
        rows = list(journal.read(session.context))
        seen = json.dumps([[row.reply for row in rows], state.dump(session.context)])
        occurrences += seen.count(marks[number])
        assert not any(mark in seen for other, mark in enumerate(marks) if other != number)
        again = new_session(world="studio", seed=number)
        assert replay(sessions, rows, again) == []
        assert digest(again.context) == digest(session.context)
    assert occurrences > 500


@pytest.mark.parametrize("world", ["studio", "campus"])
def test_the_trees_of_a_used_session_recreate_it_in_an_empty_session(
    new_session: Callable[..., Session], world: str
) -> None:
    used, empty = new_session(world=world, seed=1), new_session(world="empty").context
    maker = ArgumentMaker(3, sorted({t for t in texts_of(state.dump(used.context)) if len(t) < 100})[:500])
    for _ in range(400):
        app = maker.random.choice(APPS)
        tool = maker.random.choice(list(app.tools.values()))
        dispatch(used, app, tool.name, maker.fitting(tool))
    empty.begin()
    for name, tables in empty.tables.items():
        exported = json.loads(json.dumps(tree.export_tree(used.context, name)))
        state.load(empty, tree.flatten(tables, exported))
    empty.finish()
    empty.commit()
    assert digest(empty) == digest(used.context)


_IN_ANOTHER_PROCESS = """
import sys, pickle
from pathlib import Path
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import digest
from soundstage.worlds import built, load_world
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import app_names

folder, worlds = map(Path, sys.argv[1:])
world = load_world("studio")
clock = Clock("tick", world.epoch_ms)
context = MemoryStorage().create("again", built(world, worlds), seed=11, clock=clock)
record = SessionRecord("again", "again", None, "studio", app_names(), 11, clock, 0, None, durability="memory")
session = Session(record, context)
rows = pickle.loads((folder / "rows").read_bytes())
print(replay(Sessions(Settings(data=folder, built=worlds)), rows, session), digest(context))
"""


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        pytest.param([], {"PYTHONHASHSEED": "1"}, id="another hash seed"),
        pytest.param(
            ["-O"],
            {"PYTHONHASHSEED": "77", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"},
            id="another zone and language, without asserts",
            marks=pytest.mark.long,
        ),
    ],
)
def test_another_process_replays_to_the_same_replies_and_digest(
    new_session: Callable[..., Session], tmp_path: Path, options: list[str], environment: dict[str, str]
) -> None:

    session = new_session(world="studio", seed=11)
    maker = ArgumentMaker(4, sorted({t for t in texts_of(state.dump(session.context)) if len(t) < 100})[:500])
    for number in range(150):
        app = APPS[number % len(APPS)]
        tool = maker.random.choice(list(app.tools.values()))
        dispatch(session, app, tool.name, maker.fitting(tool) if number % 3 else maker.broken(tool))
    (tmp_path / "rows").write_bytes(pickle.dumps(list(journal.read(session.context))))
    done = subprocess.run(
        [sys.executable, *options, "-c", _IN_ANOTHER_PROCESS, str(tmp_path), str(built_worlds.folder())],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.stdout == f"[] {digest(session.context)}\n", done.stderr
