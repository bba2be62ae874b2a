"""A session through the Python interface: calls, changes, restore and fork, sync and async alike."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

import soundstage
from tests.conftest import Gateway

_TASK = {"data": {"summary": "Book the dubbing room"}}


@pytest.fixture
def stage(gateway: Gateway) -> Iterator[soundstage.Stage]:
    with soundstage.connect(gateway.url) as connected:
        yield connected


@pytest.fixture
def session(stage: soundstage.Stage) -> Iterator[soundstage.Session]:
    with stage.session(durability="memory", seed=5) as made:
        yield made


def _summaries(session: soundstage.Session) -> list[str]:
    return [task["summary"] for task in session.state(app="lark").get("lark", {}).get("task", [])]


def test_a_session_gets_the_given_settings(stage: soundstage.Stage) -> None:
    with stage.session(
        world="empty",
        apps=["slack", "lark"],
        seed=11,
        faults="off",
        clock={"mode": "frozen", "at": "2026-12-01T08:00:00Z"},
        durability="memory",
        tools="search",
        ttl=600,
    ) as made:
        shown = made.examine()
        assert set(made.apps) == {"slack", "lark"}
        assert (shown["world"], shown["seed"], shown["tools"], shown["durability"]) == ("empty", 11, "search", "memory")
        assert shown["clock"]["mode"] == "frozen"
        assert shown["clock"]["now"].startswith("2026-12-01T08:00:00")
        assert shown["expires"] is not None


def test_a_refusal_has_its_status_and_the_gateways_message(stage: soundstage.Stage) -> None:
    with pytest.raises(soundstage.GatewayError, match="no world 'atlantis'") as caught:
        stage.session(world="atlantis")
    assert caught.value.status == 400
    with pytest.raises(soundstage.GatewayError) as unknown:
        stage.find("nobody")
    assert unknown.value.status == 404


def test_calls_are_in_the_journal_with_the_rows_they_changed(session: soundstage.Session) -> None:
    called = session.call("lark", "task_v2_task_create", _TASK)
    assert called["ok"]
    (line,) = session.journal()
    assert line["arguments"] == _TASK
    assert line["reply"] == called["reply"]
    assert [(c["entity"], c["op"]) for c in line["changes"]] == [("task", "insert")]
    session.call("lark", "task_v2_task_create", {"data": {"summary": "Cancel the crane"}})
    assert [line["step"] for line in session.journal(after=1)] == [2]
    assert len(session.journal(limit=1)) == 1
    assert [len(session.journal(kind=kind)) for kind in ("call", "clock")] == [2, 0]
    assert len(session.diff()) == 2
    assert len(session.diff(start=1)) == 1
    assert session.diff(start=0, end=0) == []


def test_objects_can_be_written_and_read(session: soundstage.Session) -> None:
    before = session.state()
    assert {"lark", "slack", "notion", "gmail"} <= set(before) <= {*session.apps, "disk"}
    assert session.put_state({"lark": {"task": []}}) == 1
    assert _summaries(session) == []
    session.put_state({"lark": {"task": before["lark"]["task"][:1]}}, mode="add")
    assert len(_summaries(session)) == 1
    assert session.state(at=0) == before


def test_a_session_can_be_restored_and_forked(session: soundstage.Session) -> None:
    start = session.examine()["digest"]
    session.call("lark", "task_v2_task_create", _TASK)
    snapshot = session.snapshot()
    with session.fork() as same, session.fork(at=0, name="early") as early:
        assert same.seed == session.seed
        assert same.examine()["digest"] == session.examine()["digest"]
        assert (early.name, early.examine()["digest"]) == ("early", start)
    session.reset()
    assert session.examine()["digest"] == start
    assert session.restore(snapshot["id"])["step"] == 1
    assert session.restore(step=0)["step"] == 0
    assert session.examine()["digest"] == start


def test_a_deleted_session_is_gone(stage: soundstage.Stage) -> None:
    with stage.session(world="empty", durability="memory") as made:
        pass
    with pytest.raises(soundstage.GatewayError):
        made.journal()


def test_the_clock_is_read_and_set(session: soundstage.Session) -> None:
    assert session.clock()["mode"] == "tick"
    assert session.examine()["step"] == 0, "reading it is no step"
    assert session.clock(mode="frozen", at="2027-01-01T00:00:00Z")["now"].startswith("2027-01-01")
    assert session.clock()["mode"] == "frozen"


def test_faults_are_activated_and_each_leaves_an_entry(session: soundstage.Session) -> None:
    assert session.faults()["schedule"] is None
    rule = {"fault": "rate_limit", "match": {"app": "lark"}, "when": {"call": 1}}
    assert session.faults({"rules": [rule]})["schedule"] is not None
    assert not session.call("lark", "task_v2_task_create", _TASK)["ok"]
    (entry,) = session.ledger()
    assert (entry["fault"], entry["landed"]) == ("rate_limit", True)
    assert session.faults("off")["schedule"] is None


async def test_every_request_can_also_be_awaited(gateway: Gateway) -> None:
    async with soundstage.connect(gateway.url) as stage, await stage.session(durability="memory") as session:
        assert (await session.call("lark", "task_v2_task_create", _TASK))["ok"]
        snapshot = await session.snapshot()
        assert len(await session.journal()) == 1
        assert len(await session.diff()) == 1
        assert "Book the dubbing room" in str(await session.state(app="lark"))
        async with await session.fork(at=0) as fork:
            assert await fork.diff() == []
            assert await fork.put_state({"lark": {"task": []}}) == 1
        assert (await session.reset())["step"] == 0
        assert (await session.restore(snapshot["id"]))["step"] == 1
        assert (await session.faults("off"))["schedule"] is None
        assert await session.ledger() == []
        assert (await session.clock(mode="frozen"))["mode"] == "frozen"
        assert (await session.examine())["step"] == 3


@pytest.mark.parametrize(
    "pair", [(soundstage.Session, soundstage.AsyncSession), (soundstage.Stage, soundstage.AsyncStage)]
)
def test_the_sync_and_async_forms_have_the_same_methods_and_docstrings(pair: tuple[type, type]) -> None:
    sync, awaited = ({n: m for n, m in vars(k).items() if not n.startswith("_")} for k in pair)
    assert sync.keys() == awaited.keys()
    for name in sync:
        assert inspect.signature(sync[name]).parameters.keys() == inspect.signature(awaited[name]).parameters.keys()
        assert inspect.getdoc(sync[name]), name
