"""The cost of faults if there are none, and if none matches."""

from __future__ import annotations

import timeit

import pytest

from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.draw import ACTIVE
from soundstage.gateway.faults.inject import inject, save_counters
from soundstage.servers.catalogue import load_app
from soundstage.servers.reply import Result
from tests.gateway.faults.conftest import Faulty
from tests.gateway.faults.small_state import WRITES

pytestmark = [pytest.mark.long, pytest.mark.timed]
_NUMBER, _REPEAT = 5000, 20


def microseconds(work: object, number: int = _NUMBER) -> float:
    """Return the best time of several rounds, because other programs can only add to it."""
    return min(timeit.repeat(work, number=number, repeat=_REPEAT)) / number * 1e6  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rule",
    [
        {"match": {"app": "notion"}},
        {"match": {"app": "lark", "arguments": {"data.receive_id": "nobody"}}},
        {"when": {"after": 10**9}},
    ],
    ids=["another app", "other arguments", "much later"],
)
def test_a_rule_that_never_matches_costs_at_most_5_microseconds(faulty: Faulty, rule: dict[str, object]) -> None:
    session = faulty({"rules": [{"fault": "timeout", **rule}]})
    app, (tool, arguments) = load_app("lark"), WRITES["lark"]
    dispatch(session, app, tool, arguments)
    done = Result([], ok=True)
    with session.context.step("call", tool, arguments, app=app.name) as step:
        cost = microseconds(lambda: save_counters(step, inject(step, app, tool, arguments, lambda name, given: done)))
    assert cost <= 5


def test_faults_off_cost_at_most_2_percent_of_a_call(faulty: Faulty) -> None:
    session = faulty(None)
    app, (tool, arguments) = load_app("lark"), WRITES["lark"]
    call = microseconds(lambda: dispatch(session, app, tool, arguments), number=50)
    counters, done = session.context.read_meta().counters, Result([], ok=True)

    def added() -> None:
        if ACTIVE not in counters:
            delivery = Delivery(done)
            _ = delivery.ok, delivery.record

    assert microseconds(added) <= 0.02 * call
