"""Selection of the calls that get faults: reproducible, independent for each rule, and within the budget."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.ledger import ledger
from soundstage.gateway.faults.report import report
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app
from tests.conftest import REPOSITORY
from tests.gateway.faults.conftest import Faulty, history, post
from tests.gateway.faults.small_state import WRITES


def faulted_steps(session: Session, rule: str | None = None) -> list[int]:
    return [e["step"] for e in ledger(session.context) if e["landed"] and rule in (None, e["rule"])]


def calls(session: Session, number: int) -> None:
    for n in range(number):
        post(session, f"message {n}") if n % 2 else history(session)


def test_an_added_rule_does_not_move_the_others(faulty: Faulty) -> None:
    one = {"name": "one", "fault": "timeout", "match": {"effect": "create"}, "when": {"probability": 0.3}}
    two = {"name": "two", "fault": "server_error", "match": {"effect": "read"}, "when": {"probability": 0.3}}
    alone, both = faulty({"rules": [one]}), faulty({"rules": [two, one]})
    calls(alone, 60)
    calls(both, 60)
    assert faulted_steps(alone, "one") == faulted_steps(both, "one") != []
    assert faulted_steps(both, "two") != []


def test_another_seed_selects_other_calls(faulty: Faulty) -> None:
    schedule = {"rules": [{"fault": "timeout", "when": {"probability": 0.3}}]}
    first, second = faulty(schedule, seed=1), faulty(schedule, seed=2)
    calls(first, 40)
    calls(second, 40)
    assert faulted_steps(first) != faulted_steps(second)


@pytest.mark.parametrize(
    ("rule", "steps"),
    [
        ({"when": {"call": [2, 5]}}, [2, 5]),
        ({"when": {"nth": 2}, "match": {"effect": "create"}}, [4]),
        ({"when": {"after": 3, "before": 6}}, [4, 5]),
        ({"when": {"steps": [2, 3]}}, [2, 3]),
        ({"times": 2}, [1, 2]),
        ({"cool_down": 3}, [1, 5]),
        ({"when": {"call": 2}, "lasts": 3}, [2, 3, 4]),
        ({"match": {"arguments": {"text": "message 3*"}}}, [4]),
        ({"match": {"app": "lark"}}, []),
        (
            {"when": {"state": [{"app": "slack", "entity": "message", "where": {"text": "message 1"}}]}, "times": 1},
            [3],
        ),
    ],
)
def test_a_rule_selects_its_calls(faulty: Faulty, rule: dict[str, Any], steps: list[int]) -> None:
    session = faulty({"rules": [{"fault": "server_error", **rule}]})
    calls(session, 6)
    assert [r.step for r in journal.read(session.context) if not r.ok] == steps


def test_the_budget_is_used_up_for_every_seed(faulty: Faulty) -> None:
    schedule = {
        "rules": [{"fault": "timeout"}, {"fault": "lost_ack"}, {"fault": "stale_read"}],
        "budget": {"timeout": 3, "lost_ack": 2, "stale_read": 2},
        "turns": 30,
    }
    turns = set()
    for seed in range(5):
        session = faulty(schedule, seed=seed)
        calls(session, 50)
        landed = [e["fault"] for e in ledger(session.context) if e["landed"]]
        assert sorted(map(str, landed)) == ["lost_ack"] * 2 + ["stale_read"] * 2 + ["timeout"] * 3
        turns.add(tuple(faulted_steps(session)))
    assert len(turns) > 1, "they fall on other turns"


def test_an_outage_stays_in_its_app_and_has_a_ledger_row_for_each_hit(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "unavailable", "lasts": 2, "times": 1}]})
    apps = ["lark", "slack", "notion", "lark", "lark"]
    answered = [dispatch(session, load_app(app), *WRITES[app]).answer.ok for app in apps]
    assert answered == [False, True, True, False, True]
    entries = [(e["step"], e["app"], e["landed"], e["outage"]) for e in ledger(session.context)]
    assert entries == [(1, "lark", True, 1), (4, "lark", True, 1)]


def test_an_outage_of_a_rule_for_tools_stays_with_the_tool(faulty: Faulty) -> None:
    tools = ["slack_post_message", "slack_get_channel_history"]
    session = faulty({"rules": [{"fault": "unavailable", "lasts": 2, "times": 1, "match": {"tool": tools}}]})
    made = [post(session), history(session), post(session), post(session)]
    assert [call.answer.ok for call in made] == [False, True, False, True]
    assert [(e["step"], e["outage"]) for e in ledger(session.context)] == [(1, 1), (3, 1)]


def test_each_app_has_separate_outages_and_each_counts_once(faulty: Faulty) -> None:
    rule = {"fault": "unavailable", "lasts": 3, "times": 2}
    session = faulty({"rules": [rule]})
    for app in ["lark", "slack"] * 4:
        dispatch(session, load_app(app), *WRITES[app])
    landed = [(e["app"], e["outage"]) for e in ledger(session.context) if e["landed"]]
    assert landed == [("lark", 1), ("slack", 2)] * 3
    line = report([ledger(session.context)])["all"]
    assert (line["landed"], line["hits"]) == (2, 6)


def test_an_expired_login_ends_with_the_apps_own_login_tool(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "auth_expired", "lasts": 50, "times": 2}]})
    calls = [
        ("slack", *WRITES["slack"]),
        ("xiaohongshu", "list_feeds", {}),
        ("xiaohongshu", "get_my_profile", {}),
        ("xiaohongshu", "get_login_qrcode", {}),
        ("xiaohongshu", "list_feeds", {}),
        ("slack", *WRITES["slack"]),
    ]
    answered = [dispatch(session, load_app(app), tool, arguments).answer.ok for app, tool, arguments in calls]
    assert answered == [False, False, False, True, True, False]


@pytest.mark.parametrize("app", [None, "slack"])
def test_a_budget_counts_an_outage_once(faulty: Faulty, app: str | None) -> None:
    """The number of calls during the outage does not matter: an agent that works elsewhere meanwhile has met as many outages."""
    schedule = {"rules": [{"fault": "unavailable", "lasts": 3}], "budget": {"unavailable": 2}, "turns": 10}
    session = faulty(schedule)
    for n in range(40):
        chosen = app or ("slack", "lark", "notion", "xiaohongshu")[n % 4]
        dispatch(session, load_app(chosen), *WRITES[chosen])
    assert len({e["outage"] for e in ledger(session.context) if e["landed"]}) == 2


def test_a_journal_with_faults_replays_with_and_without_its_schedule(faulty: Faulty, tmp_path: Path) -> None:
    schedule = _everything()
    session = faulty(schedule, seed=3)
    calls(session, 80)
    rows = list(journal.read(session.context))
    assert len({e["fault"] for e in ledger(session.context) if e["landed"]}) > 8
    for again in (faulty(schedule, seed=3), faulty(None, seed=3)):
        assert replay(Sessions(Settings(data=tmp_path)), rows, again) == []
        assert digest(again.context) == digest(session.context)
        steps = [(r.step, r.tool, r.reply, r.fault, r.receipt.changeset) for r in journal.read(again.context)]
        assert steps == [(r.step, r.tool, r.reply, r.fault, r.receipt.changeset) for r in rows]


def test_a_schedule_set_while_running_replays(new_session: Callable[..., Session], tmp_path: Path) -> None:
    sessions = Sessions(Settings(data=tmp_path))
    session, again = new_session(), new_session()
    calls(session, 2)
    sessions.set_faults(session, {"rules": [{"fault": "rate_limit", "when": {"probability": 0.5}}]})
    calls(session, 20)
    sessions.set_faults(session, "off")
    calls(session, 4)
    assert faulted_steps(session)
    assert replay(sessions, journal.read(session.context), again) == []
    assert faulted_steps(again) == faulted_steps(session)


def _everything() -> dict[str, Any]:
    kinds = "timeout rate_limit unavailable server_error lost_ack duplicate_delivery drift stale_read truncate corrupt"
    more = "reorder partial_page connection_drop latency"
    rules = [{"fault": kind, "when": {"probability": 0.06}} for kind in f"{kinds} {more}".split()]
    return {"rules": [*rules, {"fault": "new_constraint", "wish": "Be brief.", "when": {"call": 7}}]}


_ELSEWHERE = """
import sys
from pathlib import Path
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import digest
from soundstage.worlds import built, load_world
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.check import read_schedule
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.registry.records import SessionRecord
from soundstage.servers.catalogue import app_names, load_apps
from tests.gateway.faults.small_state import SMALL_STATE
from tests.gateway.faults.test_draw import _everything, calls
import json

clock = Clock("tick", to_ms(parse_moment("2026-11-20T08:00:00Z")))
context = MemoryStorage().create("s", built(load_world("empty"), Path(sys.argv[1])), seed=5, clock=clock)
with context.transaction() as meta:
    state.load(context, SMALL_STATE)
    schedule_store.put(context, meta, read_schedule(_everything(), load_apps()))
record = SessionRecord("s", "s", None, "empty", app_names(), 5, clock, 0, None, durability="memory")
calls(Session(record, context), 60)
print(json.dumps([[r.step, r.reply, r.fault] for r in journal.read(context)] + [digest(context)]))
"""


@pytest.mark.parametrize("hash_seed", ["1", pytest.param("77", marks=pytest.mark.long)])
def test_another_process_gets_the_same_faults_and_bytes(faulty: Faulty, tmp_path: Path, hash_seed: str) -> None:
    session = faulty(_everything(), seed=5)
    calls(session, 60)
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, str(tmp_path)], capture_output=True, text=True, env=environment, check=True
    )
    here = [[r.step, r.reply, r.fault] for r in journal.read(session.context)] + [digest(session.context)]
    assert json.loads(done.stdout) == here
