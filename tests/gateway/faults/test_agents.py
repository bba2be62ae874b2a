"""Agents against faults: a careful agent recovers from each kind, a careless one fails, and the report separates them."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.toolset import app_toolset
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.ledger import Entry, ledger
from soundstage.gateway.faults.picture import picture
from soundstage.gateway.faults.report import report
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_apps
from tests.gateway.faults.agents import CarefulAgent, CarelessAgent
from tests.gateway.faults.conftest import Faulty
from tests.gateway.faults.small_state import WRITES

POST = {"app": "slack", "tool": "slack_post_message"}
READ = {"app": "slack", "tool": "slack_get_channel_history"}
WISH = "Please also post: all clear"
RULES: dict[str, dict[str, Any]] = {
    "timeout": {"match": POST},
    "rate_limit": {"match": POST},
    "unavailable": {"match": POST, "lasts": 2},
    "server_error": {"match": POST},
    "auth_expired": {"match": POST, "lasts": 2},
    "tool_vanished": {"match": POST},
    "tool_renamed": {"match": POST, "arguments": {"text": "body"}, "suffix": "_now"},
    "connection_drop": {"match": POST},
    "lost_ack": {"match": POST},
    "truncate": {"match": READ},
    "stale_read": {"match": READ, "steps": 1},
    "corrupt": {"match": READ},
    "partial_page": {"match": READ},
    "drift": {"match": POST},
    "duplicate_delivery": {"match": {"app": "notion", "tool": "notion_append_content"}},
    "new_constraint": {
        "match": POST,
        "wish": WISH,
        "met": [{"app": "slack", "entity": "message", "where": {"text": "all clear"}}],
    },
}
ENDURED = {"latency", "reorder"}  # no reaction is necessary


def run(faulty: Faulty, agent: type[CarelessAgent], kind: str, seed: int = 0) -> tuple[Session, list[Entry]]:
    rules = {k: v for k, v in RULES[kind].items() if k != "arguments" or kind == "new_constraint"}
    session = faulty({"rules": [{"fault": kind, "times": 1, **rules}]}, seed=seed)
    apps = {tool: app for app in load_apps().values() for tool in app.tools}

    def wire(tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        app = apps.get(tool) or apps["slack_post_message"]
        return dispatch(session, app, tool, arguments).reply

    def tools() -> list[str]:
        return list(visible_toolset(session, app_toolset("slack")).targets)

    working = agent(wire, tools)
    working.post("call is at six")
    if RULES[kind]["match"] == READ:
        working.read()
    working.append(WRITES["notion"][1]["block_id"], "call is at six")
    return session, ledger(session.context)


def test_every_kind_is_tested_or_needs_no_reaction() -> None:
    assert RULES.keys() | ENDURED == KINDS.keys()


@pytest.mark.parametrize("kind", RULES)
def test_a_careful_agent_recovers_and_a_careless_one_does_not(faulty: Faulty, kind: str) -> None:
    _, careful = run(faulty, CarefulAgent, kind)
    _, careless = run(faulty, CarelessAgent, kind)
    for entries in (careful, careless):
        landed = [e for e in entries if e["landed"]]
        assert {e["fault"] for e in landed} == {kind}
        assert {e["outage"] for e in landed} == {landed[0]["step"]}, "one outage, however often it hit"
    assert all(e["recovered"] is True for e in careful if e["landed"]), careful
    assert careless[-1]["recovered"] is False, careless


def test_the_report_separates_the_agents(faulty: Faulty) -> None:
    careful = report([run(faulty, CarefulAgent, kind, seed)[1] for kind in RULES for seed in range(2)])
    careless = report([run(faulty, CarelessAgent, kind, seed)[1] for kind in RULES for seed in range(2)])
    low, high = careful["all"]["recovery"]["low"], careless["all"]["recovery"]["high"]
    assert low is not None
    assert high is not None
    assert low > high, "the intervals do not overlap"
    assert careful["runs"] == 2 * len(RULES)
    assert {line["fault"] for line in careful["kinds"]} == set(RULES)
    drawn = picture(careful)
    assert drawn.startswith("<svg")
    assert all(f">{kind} (" in drawn for kind in RULES)
