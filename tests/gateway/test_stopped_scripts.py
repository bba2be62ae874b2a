"""Scripts that reached their limit are recorded in the journal and stopped again in a replay, which stops no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.kernels.engines.browser import document
from soundstage.servers.catalogue import load_app
from tests import built_worlds
from tests.conftest import Gateway

NewSession = Callable[..., Session]

PAGE = "http://creek-runners.example/"
SLOW = "let n = 0; for (let i = 0; i < 3e5; i++) n += i % 7; document.title = 'counted'; document.title"
LOOK = "document.title"
TWICE = {"rules": [{"fault": "duplicate_delivery", "when": {"call": 2}}]}


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(Settings(data=tmp_path, built=built_worlds.folder()))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Returns a function that sets the time limit of scripts, as if the machine were slower or faster."""

    def of(seconds: float) -> None:
        for name in ("_SCRIPT_S", "_OPERATION_S"):
            monkeypatch.setattr(document, name, seconds)

    return of


def call(session: Session, app: str, tool: str, arguments: dict[str, Any]) -> str:
    return str(dispatch(session, load_app(app), tool, arguments).reply)


def kinds(session: Session) -> list[tuple[str, Any]]:
    return [(row.kind, row.arguments) for row in journal.read(session.context)]


def same_again(sessions: Sessions, session: Session, again: Session) -> None:
    assert replay(sessions, journal.read(session.context), again) == []
    assert digest(again.context) == digest(session.context)
    assert kinds(again) == kinds(session)


@pytest.mark.parametrize(
    ("app", "go", "evaluate"),
    [
        ("puppeteer", "puppeteer_navigate", "puppeteer_evaluate"),
        ("playwright", "playwright_navigate", "playwright_evaluate"),
    ],
)
def test_a_replay_stops_the_script_that_a_slow_machine_stopped(
    sessions: Sessions, new_session: NewSession, machine: Callable[[float], None], app: str, go: str, evaluate: str
) -> None:
    session = new_session(world="studio")
    call(session, app, go, {"url": PAGE})
    machine(1e-6)
    call(session, app, evaluate, {"script": SLOW})
    machine(5.0)
    assert "counted" not in call(session, app, evaluate, {"script": LOOK})
    steps = kinds(session)
    assert [kind for kind, _ in steps] == ["call", "call", "limit", "call"]
    assert steps[2][1]["step"] == 2
    assert len(steps[2][1]["runs"]) == 1
    same_again(sessions, session, new_session(world="studio"))


def test_a_replay_does_not_stop_the_script_that_a_fast_machine_finished(
    sessions: Sessions, new_session: NewSession, machine: Callable[[float], None]
) -> None:
    session = new_session(world="studio")
    machine(5.0)
    call(session, "puppeteer", "puppeteer_navigate", {"url": PAGE})
    assert "counted" in call(session, "puppeteer", "puppeteer_evaluate", {"script": SLOW})
    assert [kind for kind, _ in kinds(session)] == ["call", "call"]
    machine(1e-6)
    same_again(sessions, session, new_session(world="studio"))


def test_a_replay_does_not_wait_for_an_endless_script(
    sessions: Sessions, new_session: NewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = new_session(world="studio")
    call(session, "puppeteer", "puppeteer_navigate", {"url": PAGE})
    call(session, "puppeteer", "puppeteer_evaluate", {"script": "for (;;) {}"})
    call(session, "puppeteer", "puppeteer_evaluate", {"script": LOOK})
    made: list[str] = []
    run = document.Document._run

    def watched(self: document.Document, name: str, argument: Any, within: float) -> Any:
        made.append(str(argument))
        return run(self, name, argument, within)

    monkeypatch.setattr(document.Document, "_run", watched)
    same_again(sessions, session, new_session(world="studio"))
    assert any(LOOK in one for one in made)
    assert not any("for (;;)" in one for one in made)


def test_a_script_over_the_memory_limit_is_recorded_too(sessions: Sessions, new_session: NewSession) -> None:
    session = new_session(world="studio")
    call(session, "puppeteer", "puppeteer_navigate", {"url": PAGE})
    call(session, "puppeteer", "puppeteer_evaluate", {"script": "new Array(3e7).fill(1).length"})
    assert [kind for kind, _ in kinds(session)] == ["call", "call", "limit"]
    same_again(sessions, session, new_session(world="studio"))


def test_each_delivery_of_a_doubled_call_is_stopped_as_recorded(
    sessions: Sessions, new_session: NewSession, machine: Callable[[float], None]
) -> None:
    session = new_session(world="studio")
    sessions.set_faults(session, TWICE)
    call(session, "puppeteer", "puppeteer_navigate", {"url": PAGE})
    machine(1e-6)
    call(session, "puppeteer", "puppeteer_evaluate", {"script": SLOW})
    machine(5.0)
    steps = kinds(session)
    assert [kind for kind, _ in steps][-3:] == ["duplicate", "call", "limit"]
    assert len(steps[-1][1]["runs"]) == 2
    same_again(sessions, session, new_session(world="studio"))


def test_journal_and_pages_show_a_stopped_script(gateway: Gateway) -> None:
    session = gateway.session(apps=["puppeteer"])

    def ask(tool: str, arguments: dict[str, str]) -> None:
        body = {"app": "puppeteer", "tool": tool, "arguments": arguments}
        assert gateway.api("POST", f"/sessions/{session['id']}/calls", json=body).status_code == 200

    ask("puppeteer_navigate", {"url": PAGE})
    ask("puppeteer_evaluate", {"script": "for (;;) {}"})
    lines = gateway.journal(session["id"])
    assert [(line["kind"], line["app"], line["answered_by"]) for line in lines[1:]] == [
        ("call", "puppeteer", "kernel"),
        ("limit", None, None),
    ]
    for page, text in (("", "stopped"), ("/calls/3", "the app&#39;s own step")):
        shown = httpx2.get(f"{gateway.url}/sessions/{session['id']}{page}")
        assert shown.status_code == 200
        assert text in shown.text
