"""Handmade lines of results."""

from __future__ import annotations

from typing import Any

from soundstage.runs.results import FaultLine, ResultLine


def result(task: str, success: bool, **changes: Any) -> ResultLine:
    """Return a line. `agent` and `cost` may be given as plain values, `checks` as {check: passed}."""
    agent = changes.pop("agent", "acme")
    cost = changes.pop("cost", None)
    ranks = changes.pop("ranks", [])
    checks = changes.pop("checks", {"done": success})
    k, faults = changes.get("k", 1), changes.get("faults", "off")
    line: dict[str, Any] = {
        "run": "r_01", "trial": f"tr_{agent}_{task}_{k}_{faults}", "task": task, "task_version": 1, "kind": "operate",
        "language": "en", "tags": [], "apps": ["jotter"], "oracle_calls": 5, "world": "desk@0", "k": k, "seed": 7 + k,
        "faults": "off", "variant": "default", "tools": "all", "ended": "answered", "outcome": "done", "success": success,
        "score": float(success), "acc": float(success), "exec_acc": float(success), "breaches": [], "calls": 4,
        "failed_calls": 0, "searches": len(ranks), "reply_bytes": 1000, "faults_landed": 0, "recovered": 0, "doubled": 0,
        "landed": [], "wall_s": 2.0, "error": None, "grader": "1.0", "head": "b2:0", "sig": "",
        "agent": {"name": agent, "version": None, "model": None},
        "checks": {c: {"work": "operate", "passed": p, "part": float(p), "why": "", "step": 1} for c, p in checks.items()},
        "usage": None if cost is None else {
            "input_tokens": 10, "output_tokens": 2, "cost_usd": cost, "turns": changes.pop("turns", None),
            "reported_by": "runner",
        },
        "figures": {
            "tool_calls": {"jotter/add_note": {"count": 3, "of": 4, "rate": 0.75}}, "root_causes": {"Parameter Error": 1},
            "struck_failures": 0, "schema": {"count": 4, "of": 4, "rate": 1.0}, "order": {"count": 0, "of": 0, "rate": None},
            "recovery_by_turns": {"count": 1, "of": 1, "rate": 1.0}, "diversity": 1.0, "tools_used": 2,
            "searches": [{"query": "q", "found": 5, "rank": rank} for rank in ranks], "under_explored": None,
            "invented_ids": 0, "over_long_context": None, "ast": 1.0, "ast_dag": True,
            "failure": None if success else {"error": "Other", "because": "work"},
        },
    }  # fmt: skip
    return ResultLine(**{**line, **changes})  # type: ignore[typeddict-item]


def landed(
    step: int, fault: str, recovered: bool | None = True, *, outage: int | None = None, **changes: Any
) -> FaultLine:
    usual: dict[str, Any] = {
        "step": step, "fault": fault, "outage": step if outage is None else outage, "recovered": recovered,
        "flexible": False, "writes": True, "effects": 1, "calls_to_recover": 1, "seconds_to_recover": 1.0,
    }  # fmt: skip
    return FaultLine(**{**usual, **changes})  # type: ignore[typeddict-item]
