"""Flexibility: a different approach to the same goal after a fault, which the agent does not use anyway."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.ledger import ledger
from soundstage.gateway.faults.report import report
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_apps
from tests.gateway.faults.conftest import Faulty
from tests.gateway.faults.small_state import READS, WRITES

Made = tuple[str, dict[str, Any]]

POST: Made = ("slack_post_message", {"channel_id": "C0GENERAL1", "text": "The van leaves at six."})
OTHER_TOOL: Made = ("conversations_add_message", {"channel_id": "C0GENERAL1", "payload": "The van leaves at six."})
READ_CHANNEL: Made = ("slack_get_channel_history", {"channel_id": "C0GENERAL1", "limit": 5})
USERS: Made = ("slack_get_users", {})
ELSEWHERE: Made = ("slack_post_message", {"channel_id": "C0GENERAL1", "text": "Something else altogether."})


def call(session: Session, calls: Iterable[Made]) -> None:
    owners = {tool: app for app in load_apps().values() for tool in app.tools}
    for tool, arguments in calls:
        dispatch(session, owners[tool], tool, arguments)


def flexible(session: Session) -> list[bool]:
    return [e["flexible"] for e in ledger(session.context) if e["landed"]]


@pytest.mark.parametrize("fault", ["timeout", "unavailable", "lost_ack", "connection_drop"])
@pytest.mark.parametrize(
    ("after", "counts"),
    [
        ([POST], False),
        ([POST, POST, OTHER_TOOL], True),
        ([OTHER_TOOL], True),
        ([READ_CHANNEL], True),
        ([USERS, READ_CHANNEL], True),
        ([USERS, USERS, USERS, READ_CHANNEL], False),
        ([USERS, ELSEWHERE, ("im_v1_chat_list", {})], False),
        ([], False),
    ],
    ids=["retries", "retries, then switches", "switches", "reads", "reads a little later", "reads much later",
         "goes on with other things", "gives up"],
)  # fmt: skip
def test_only_another_approach_to_the_same_goal_counts(
    faulty: Faulty, fault: str, after: list[Made], counts: bool
) -> None:
    session = faulty({"rules": [{"fault": fault, "when": {"call": 2}}]})
    call(session, [USERS, POST, *after])
    assert flexible(session) == [counts]


def test_a_fixed_loop_through_the_tools_is_not_flexible(faulty: Faulty) -> None:
    """The loop reads after each message and posts with a second tool, both after faults and without them."""
    session = faulty({"rules": [{"fault": "unavailable", "lasts": 2, "when": {"probability": 0.25}}]}, seed=3)
    for n in range(15):
        text = f"Message number {n} of many."
        call(session, [("slack_post_message", {"channel_id": "C0GENERAL1", "text": text}), READ_CHANNEL, USERS])
        call(session, [("conversations_add_message", {"channel_id": "C0GENERAL1", "payload": text})])
        call(session, [WRITES["notion"], READS["notion"]])
    results = flexible(session)
    assert len(results) > 20
    assert not any(results)
    assert report([ledger(session.context)])["all"]["flexibility"]["count"] == 0


def test_a_read_repeated_in_the_same_words_is_not_a_change_of_plan(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "timeout", "when": {"call": 2}}]})
    call(session, [READ_CHANNEL, POST, READ_CHANNEL])
    assert flexible(session) == [False]


def test_an_agent_that_reads_only_after_faults_is_flexible_each_time(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "timeout", "when": {"call": [2, 6]}}]})
    call(session, [POST, POST, READ_CHANNEL, POST, ELSEWHERE, ELSEWHERE])
    call(session, [("slack_get_channel_history", {"channel_id": "C0GENERAL1", "limit": 2})])
    assert flexible(session) == [True, True]
