"""Summary of a journal, regardless of its length and the content of its steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine.store import Context
from soundstage.gateway.journal import overview
from soundstage.gateway.journal.overview import StepFilter, newest_steps, totals
from soundstage.gateway.sessions.session import Session

STEPS = 1500


class Slow:
    """A context in which reading a step takes `step_s` seconds. `strides` are the numbers of steps read at once."""

    def __init__(self, context: Context, step_s: float) -> None:
        self._context, self._step_s = context, step_s
        self.now_s = 0.0
        self.strides: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def execute(self, query: str, bound: tuple[Any, ...] = ()) -> Any:
        if "step > ? AND step <" in query:
            steps = bound[1] - bound[0] - ("step < ?" in query)
            self.now_s += steps * self._step_s
            self.strides.append(steps)
        return self._context.execute(query, bound)


@pytest.fixture
def session(new_session: Callable[..., Session]) -> Session:
    """A session of calls in which every third failed and every fifth had a fault."""
    made = new_session()
    for number in range(STEPS):
        with made.context.step("call", "im_v1_chat_list", {}, app="lark") as step:
            step.ok, step.reply = number % 3 != 0, {}
            step.fault = None if number % 5 else '{"fault":"latency","landed":true}'
    return made


@pytest.mark.parametrize("step_s", [0.0, 1e-7, 1e-5, 1e-3, 1.0])
async def test_reading_a_journal_delays_calls_only_briefly(
    session: Session, step_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow: Any = Slow(session.context, step_s)
    monkeypatch.setattr(overview.time, "perf_counter", lambda: slow.now_s)
    overview_totals = await totals(slow)
    assert (overview_totals.step, overview_totals.calls, overview_totals.failed, overview_totals.faults) == (
        STEPS,
        STEPS,
        STEPS // 3,
        STEPS // 5,
    )
    assert sum(slow.strides) == STEPS
    assert all(stride * step_s <= 0.002 or stride == 1 for stride in slow.strides[1:])

    slow.strides.clear()
    faulted = await newest_steps(slow, StepFilter(faulted=True), limit=STEPS)
    assert faulted == list(range(STEPS - 4, 0, -5))
    assert sum(slow.strides) == STEPS
    assert all(stride * step_s <= 0.002 or stride == 1 for stride in slow.strides[1:])


async def test_quick_steps_are_read_in_few_strides(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    slow: Any = Slow(session.context, 1e-9)
    monkeypatch.setattr(overview.time, "perf_counter", lambda: slow.now_s)
    await totals(slow)
    assert len(slow.strides) < 6


def test_a_slow_stride_is_followed_by_a_shorter_one() -> None:
    stride = overview._Stride()
    with stride.measured():
        time.sleep(0.01)
    assert 1 <= stride.steps < overview._FIRST
