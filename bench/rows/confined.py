"""A call of a generated kernel in the confined process, against the same kernel inside this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median
from typing import Any, cast

from bench.figures import Bound, Line, Plan, Series, compare
from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.confined.host import ConfinedProcess

_CALLS = 1000
_PAUSE_S = 0.004
"""Seconds between two calls, in which new workers are forked."""
_OVERHEAD_US = 500.0
_SOURCES = {"kernels/shop/tool.py": "def run(context, arguments):\n    return {'name': arguments['name']}\n"}


class _Clock:
    """A context that reports only the time."""

    def now(self) -> datetime:
        return datetime(2026, 11, 20, tzinfo=UTC)


async def measure(plan: Plan) -> list[Line]:
    """Measure calls of a kernel in the confined process against the same kernel in this process."""
    context = cast(AppContext, _Clock())
    process = ConfinedProcess()
    namespace: dict[str, Any] = {}
    exec(_SOURCES["kernels/shop/tool.py"], namespace)
    try:
        ours, theirs = [], []
        for _ in range(plan.rounds):
            calls = max(1, _CALLS // plan.rounds)
            ours.append(_typical(calls, lambda a: process.call("shop", _SOURCES, "tool", context, a)))
            theirs.append(_typical(calls, lambda a: namespace["run"](context, a)))
    finally:
        process.close()
    return [
        compare(
            "confined",
            Series("a trivial kernel, confined", ours),
            Series("the same kernel in process", theirs),
            unit="µs",
            bound=Bound(_OVERHEAD_US),
            note="wall time of a call, median, with 4 ms between two",
        )
    ]


def _typical(calls: int, call: Callable[[dict[str, Any]], Any]) -> float:
    took = []
    for number in range(calls):
        began = time.perf_counter()
        call({"name": str(number)})
        took.append((time.perf_counter() - began) * 1e6)
        time.sleep(_PAUSE_S)
    return median(took)
