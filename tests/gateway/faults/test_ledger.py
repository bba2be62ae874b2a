"""The ledger agrees with the rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from soundstage.contexts.engine import journal
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.ledger import HORIZON, ledger
from soundstage.gateway.faults.report import rate
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app
from tests.gateway.faults.conftest import Faulty, history, post
from tests.gateway.faults.small_state import WRITES

LOST = {"rules": [{"fault": "lost_ack", "times": 1}]}


def messages(session: Session, text: str) -> int:
    return session.context.app("slack").count("message", {"text": text})


def test_a_lost_answer_and_a_blind_retry_are_two_effects(faulty: Faulty) -> None:
    session = faulty(LOST)
    assert post(session, "twice").reply is None
    assert post(session, "twice").answer.ok
    (entry,) = ledger(session.context)
    assert (entry["effects"], entry["doubled"], entry["recovered_by"]) == (2, True, "retry")
    assert messages(session, "twice") == 2


def test_a_lost_answer_that_is_checked_is_one_effect(faulty: Faulty) -> None:
    session = faulty(LOST)
    post(session, "once")
    history(session)
    (entry,) = ledger(session.context)
    assert (entry["effects"], entry["doubled"], entry["recovered_by"]) == (1, False, "reading")
    assert messages(session, "once") == 1


def test_a_retry_with_the_apps_own_idempotency_is_one_effect(faulty: Faulty) -> None:
    session = faulty(LOST)
    data = {**WRITES["lark"][1]["data"], "content": '{"text":"once"}', "uuid": "a-key"}
    for _ in range(2):
        arguments = {"params": {"receive_id_type": "chat_id"}, "data": data}
        dispatch(session, load_app("lark"), "im_v1_message_create", arguments)
    (entry,) = ledger(session.context)
    assert (entry["effects"], entry["doubled"], entry["recovered_by"]) == (1, False, "retry")


def test_a_recovery_is_searched_among_calls_and_not_among_fault_steps(faulty: Faulty) -> None:
    others_at_work = {"fault": "drift", "match": {"effect": "read"}}
    session = faulty({"rules": [{"fault": "timeout", "when": {"call": 1}}, others_at_work]})
    post(session, "on my way")
    for _ in range(HORIZON - 30):
        history(session)
    post(session, "on my way")
    assert journal.last_step(session.context) > HORIZON + 30
    entry = ledger(session.context)[0]
    assert (entry["fault"], entry["recovered_by"], entry["calls_to_recover"]) == ("timeout", "retry", HORIZON - 29)


def test_after_a_broken_connection_nothing_is_written(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "connection_drop", "times": 1}]})
    made = post(session)
    assert made.reply is None
    row = next(journal.read(session.context))
    assert (row.ok, row.reply, row.receipt.changeset) == (False, None, b"")
    assert journal.last_step(session.context) == 1


def test_a_duplicate_is_two_steps_with_a_receipt_each(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "duplicate_delivery", "times": 1}]})
    post(session, "twice")
    rows = list(journal.read(session.context))
    assert [len(journal.changes(session.context, r.receipt.changeset)) for r in rows] == [1, 1]
    assert [r.reply is None for r in rows] == [True, False], "the first answer never reached the client"
    (entry,) = ledger(session.context)
    assert (entry["step"], entry["effects"], entry["doubled"], entry["recovered"]) == (2, 2, True, False)


def test_a_drawn_fault_without_effect_is_marked_as_not_landed(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "lost_ack"}, {"fault": "reorder"}]})
    dispatch(session, load_app("slack"), "slack_post_message", {"channel_id": "C0NOWHERE", "text": "x"})
    (entry,) = ledger(session.context)
    assert (entry["landed"], entry["drawn"], entry["fault"]) == (False, ["lost_ack", "reorder"], "lost_ack")
    assert not any(e["landed"] for e in ledger(session.context))


def test_rewinding_restores_the_ledger_and_the_schedules_counters(faulty: Faulty) -> None:
    session = faulty({"rules": [{"fault": "rate_limit", "times": 1, "when": {"call": 2}}]})
    replies = [post(session).reply for _ in range(3)]
    assert [e["step"] for e in ledger(session.context)] == [2]
    journal.rewind(session.context, 1)
    assert ledger(session.context) == []
    assert [post(session).reply for _ in range(2)] == replies[1:]
    assert [e["step"] for e in ledger(session.context)] == [2]


@pytest.mark.parametrize(("count", "of"), [(0, 5), (5, 5), (3, 7)])
def test_intervals_contain_the_share_and_stay_within_bounds(count: int, of: int) -> None:
    made = rate(count, of)
    low, share, high = made["low"], made["rate"], made["high"]
    assert low is not None
    assert share is not None
    assert high is not None
    assert 0 <= low <= share <= high <= 1
    assert high - low > 0.2


def test_a_session_without_faults_has_an_empty_ledger(new_session: Callable[..., Session]) -> None:
    session = new_session()
    post(session)
    assert ledger(session.context) == []
