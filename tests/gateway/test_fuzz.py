"""Every tool of every app, called with arguments that fit its schema and with broken ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mcp_types
import pytest
from pydantic import TypeAdapter
from structlog.testing import capture_logs

from soundstage.contexts.apps import shipped_names
from soundstage.contexts.engine import journal, state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.calls.json_arguments import NestedTooDeeply
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import App, load_apps
from soundstage.servers.reply import ProtocolFailure
from tests.gateway.calls import ArgumentMaker, texts_of
from tests.gateway.fuzz import WORLDS, Fuzz

CALLS_OF_A_TOOL = 20
SAMPLE = 30
"""Calls per app, of the thousands that `make fuzz-calls` makes. Each app is tested in one of the worlds here."""
_RESULT = TypeAdapter(mcp_types.CallToolResult)


@pytest.mark.parametrize("app", load_apps().values(), ids=lambda app: app.name)
@pytest.mark.parametrize(
    ("world", "calls"),
    [
        ("studio", 8),
        pytest.param("studio", CALLS_OF_A_TOOL, marks=pytest.mark.long),
        pytest.param("empty", CALLS_OF_A_TOOL, marks=pytest.mark.long),
    ],
)
def test_no_call_raises_and_every_reply_is_valid_mcp(
    app: App, world: str, calls: int, new_session: Callable[..., Session]
) -> None:
    """Call every tool `calls` times."""
    _call_often(new_session(world=world), app, calls * len(app.tools))


@pytest.mark.long
@pytest.mark.parametrize("world", WORLDS)
def test_calls_with_existing_ids_break_no_promise(world: str, worlds_folder: Path) -> None:
    fuzz = Fuzz(world, worlds_folder)
    apps = list(load_apps(shipped_names()).values())[WORLDS.index(world) :: len(WORLDS)]
    outcomes = [fuzz.run(app, SAMPLE) for app in apps]
    assert [wrong for one in outcomes for wrong in one.broken] == []
    assert sum(one.done for one in outcomes) > SAMPLE * len(outcomes) / 5


def _call_often(session: Session, app: App, calls: int) -> None:
    maker = ArgumentMaker(1, sorted({t for t in texts_of(state.dump(session.context, app.name)) if len(t) < 100})[:500])
    tools = list(app.tools.values())
    with capture_logs() as logs:
        for number in range(calls):
            tool = tools[number % len(tools)]
            arguments = maker.fitting(tool) if maker.random.random() < 0.6 else maker.broken(tool)
            answer = dispatch(session, app, tool.name, arguments).answer
            assert not logs, (tool.name, arguments, logs)
            if isinstance(answer, ProtocolFailure):
                assert isinstance(answer.code, int)
                assert answer.message
            else:
                _RESULT.validate_python(answer.wire())
    assert journal.last_step(session.context) == calls


@pytest.mark.parametrize("app", [app for app in load_apps().values() if app.any_name is None], ids=lambda app: app.name)
def test_an_unknown_tool_is_refused_in_the_apps_words(app: App, new_session: Callable[..., Session]) -> None:
    session = new_session()
    call = dispatch(session, app, "no_such_tool", {})
    assert not call.answer.ok
    assert call.answer.error_kind == "unknown_tool"
    assert "no_such_tool" in str(call.answer.wire())


@pytest.mark.parametrize("app", load_apps().values(), ids=lambda app: app.name)
def test_calls_without_arguments_are_answered_and_replay_alike(
    app: App, new_session: Callable[..., Session], tmp_path: Path
) -> None:
    session, again = new_session(world="studio"), new_session(world="studio")
    with capture_logs() as logs:
        for name in app.tools:
            dispatch(session, app, name, None)
    assert not logs
    rows = list(journal.read(session.context))
    assert {row.arguments for row in rows} == {None}
    assert replay(Sessions(Settings(data=tmp_path)), rows, again) == []


@pytest.mark.parametrize(
    "arguments",
    [{"data": "\ud800"}, {"data": {"emails": ["a\udfffb"]}}, {"data": 10**400}, {"data": float("nan")}, {"\ud800": 2**70}],
    ids=["surrogate", "nested surrogate", "huge number", "nan", "surrogate key"],
)  # fmt: skip
def test_invalid_unicode_and_numbers_from_json_are_repaired_first(
    arguments: dict[str, object], new_session: Callable[..., Session]
) -> None:
    session = new_session()
    call = dispatch(session, load_apps()["lark"], "contact_v3_user_batchGetId", arguments)
    (row,) = journal.read(session.context)
    assert row.reply == call.answer.wire()


def test_arguments_nested_too_deeply_are_refused(new_session: Callable[..., Session]) -> None:
    deep: dict[str, object] = {}
    for _ in range(3000):
        deep = {"data": deep}
    session = new_session()
    with pytest.raises(NestedTooDeeply, match="at most"):
        dispatch(session, load_apps()["lark"], "contact_v3_user_batchGetId", deep)
    assert journal.last_step(session.context) == 0


def test_a_crashing_kernel_changes_nothing_and_reveals_nothing(
    new_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    from soundstage.contexts.engine.app_context import AppContext
    from soundstage.contexts.engine.store import digest

    def crash(context: AppContext, arguments: dict[str, object]) -> object:
        context.create("user", {"open_id": "ou_half", "name": "half"})
        raise ZeroDivisionError("the secret reason")

    app = load_apps()["lark"]
    tool = app.tools["contact_v3_user_batchGetId"]
    monkeypatch.setitem(tool.__dict__, "kernel", crash)
    session = new_session()
    before = digest(session.context)
    with capture_logs() as logs:
        call = dispatch(session, app, tool.name, {})
    assert digest(session.context) == before
    assert call.answer.error_kind == "internal"
    assert "secret" not in str(call.answer.wire())
    assert "Traceback" not in str(call.answer.wire())
    assert [(entry["event"], entry["call"]) for entry in logs] == [("kernel raised", f"{session.id}:1")]
    (row,) = journal.read(session.context)
    assert (row.ok, row.error_kind, journal.changes(session.context, row.receipt.changeset)) == (False, "internal", [])
