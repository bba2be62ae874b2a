"""A kernel in the confined process sees the same context as the gateway's own kernels, and a replay repeats its calls."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from soundstage import app_roots
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Entity
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings, prepare_data_folder
from soundstage.servers.catalogue import load_app
from soundstage.servers.confined import facade
from soundstage.synthesis.generate.allowed import CONTEXT
from tests.servers.confined.test_served_attacks import ATTACKS, HONEST, put_app


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "apps"
    dies = ATTACKS["dies_late"][0].replace("{{", "{").replace("}}", "}")
    put_app(folder, {"honest": HONEST, "loop": ATTACKS["loop"][0], "dies": dies})
    app_roots.add(folder)
    yield folder
    app_roots.remove(folder)


@pytest.mark.parametrize("name", sorted(CONTEXT))
def test_each_method_has_the_parameters_of_the_gateways(name: str) -> None:
    ours, theirs = (inspect.getattr_static(kind, name) for kind in (AppContext, facade.AppContext))
    assert isinstance(ours, property) == isinstance(theirs, property)
    if not isinstance(ours, property):
        expected, actual = (inspect.signature(method).parameters for method in (ours, theirs))
        assert list(actual) == list(expected)
        assert [p.kind for p in actual.values()] == [p.kind for p in expected.values()]
        assert [p.default for p in actual.values()] == [p.default for p in expected.values()]


async def test_a_replay_gives_the_same_replies_and_rows(root: Path, tmp_path: Path) -> None:
    sessions = Sessions(Settings(data=prepare_data_folder(tmp_path / "data")))
    await sessions.start()
    try:
        wanted = NewSession(world="empty", apps=("shop",), durability="memory", seed=7)
        first, second = await sessions.create(wanted), await sessions.create(wanted)
        app = load_app("shop")
        kinds = [
            dispatch(first, app, tool, {"name": f"{tool}{i}"}).answer.error_kind
            for i in range(2)
            for tool in ("honest", "loop", "dies")
        ]
        assert kinds == [None, "budget_exceeded", "internal"] * 2
        rows = journal.read(first.context)
        mismatches = replay(sessions, rows, second)
        # The text of an internal error has the call's id, which names the session.
        assert [one for one in mismatches if "Internal error" not in str(one)] == []
        assert state.dump(first.context) == state.dump(second.context)
    finally:
        await sessions.stop()


async def test_only_declared_entities_have_their_sql_run_and_nothing_can_be_attached(
    root: Path, tmp_path: Path
) -> None:
    @dataclass
    class Forged:
        name: str = "goods"
        delete_sql: str = "SELECT 1"
        clear_sql: str = "SELECT 1"

    sessions = Sessions(Settings(data=prepare_data_folder(tmp_path / "data")))
    await sessions.start()
    try:
        session = await sessions.create(NewSession(world="empty", apps=("shop",), durability="memory"))
        view = session.context.app("shop")
        forged: Any = cast(Entity, Forged())
        for forbidden in (lambda: view.remove(forged, ()), lambda: view.clear(forged), lambda: view.own(forged)):
            with pytest.raises(KeyError, match="is not an entity of shop"):
                forbidden()
        for statement in (
            "ATTACH ':memory:' AS other", "CREATE TRIGGER t AFTER INSERT ON shop_goods BEGIN SELECT 1; END",
            "PRAGMA writable_schema = 1", "SELECT load_extension('x')",
        ):  # fmt: skip
            with pytest.raises(apsw.Error):
                session.context.execute(statement).fetchall()
        other = await sessions.create(NewSession(world="empty", apps=("monitor",), durability="memory"))
        with pytest.raises(apsw.SQLError, match="too many attached databases"):
            other.context.execute("ATTACH ':memory:' AS other")
    finally:
        await sessions.stop()
