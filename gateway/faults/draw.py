"""Decide whether a fault hits a call, by a keyed hash of (seed, rule, step), so that rules do not affect each other.

The memory of a schedule between calls (occurrences of a rule, the rest of an outage) consists of counters in the session's meta
row: processes that share a context agree on them, and a rewind restores them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from random import Random
from typing import Any

from soundstage.contexts.engine.ids import keyed_digest
from soundstage.contexts.engine.store import Context, Meta
from soundstage.gateway.faults.check import fits
from soundstage.gateway.faults.condition import all_hold
from soundstage.gateway.faults.fault import FOREVER
from soundstage.gateway.faults.schedule import ArmedRule, Schedule
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import App
from soundstage.servers.tool import Tool

PREFIX = "fault#"
ACTIVE = f"{PREFIX}schedule"
MUTED = f"{PREFIX}muted"
_CALLS = f"{PREFIX}calls"


@dataclass(slots=True)
class Decision:
    """The decision for a call.

    `rule` is the rule whose fault is injected; `continues_outage` is true if that fault is a running outage. `counters` are
    written if the call is recorded, `counters_if_applied` additionally if the fault takes effect.
    """

    rule: ArmedRule | None = None
    continues_outage: bool = False
    drawn_rules: list[str] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    counters_if_applied: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alias:
    """A renamed tool, called by its new name."""

    rule: ArmedRule
    tool: str


@dataclass(frozen=True, slots=True)
class _ArgumentCondition:
    """A rule's condition on an argument: a value, or a text pattern."""

    path: tuple[str, ...]
    value: Any
    pattern: re.Pattern[str] | None

    def matches(self, value: Any) -> bool:
        return self.pattern is not None and isinstance(value, str) and self.pattern.match(value) is not None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A rule for the calls of one tool.

    `left` is the counter of the remaining calls of its outage there. `ends_outage` means that the tool ends its app's outages.
    """

    armed: ArmedRule
    left: str
    ends_outage: bool
    arguments: tuple[_ArgumentCondition, ...]

    def fits(self, arguments: Arguments | None) -> bool:
        for wanted in self.arguments:
            value: Any = arguments
            for name in wanted.path:
                value = value.get(name) if isinstance(value, dict) else None
            if value != wanted.value and (wanted.pattern is None or not wanted.matches(value)):
                return False
        return True

    def ended(self, counters: Mapping[str, int]) -> list[str]:
        """Return the counters of the app's outages that a call of this tool ends."""
        return [name for name, left in counters.items() if left and f"{name}.".startswith(f"{self.left}.")]


class Plan:
    """A schedule, compiled for fast draws."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self._by_tool: dict[Tool, tuple[_Candidate, ...]] = {}
        self._per_tool = [r for r in schedule.rules if r.fault.per_tool]
        self.changes_lists = bool(self._per_tool)

    def draw(self, context: Context, meta: Meta, app: App, tool: Tool, arguments: Arguments | None) -> Decision | None:
        """Decide for the running call; None if no rule matches it."""
        concerned = [c for c in self._candidates(app, tool) if not c.arguments or c.fits(arguments)]
        if not concerned:
            return None
        counters, step = meta.counters, meta.step + 1
        decision = Decision(counters=count_call(counters))
        call = decision.counters[_CALLS]
        for candidate in concerned:
            if candidate.ends_outage:
                decision.counters |= dict.fromkeys(candidate.ended(counters), 0)
                continue
            armed, left = candidate.armed, counters.get(candidate.left)
            if left:
                if left < FOREVER:
                    decision.counters[candidate.left] = left - 1
                if decision.rule is None:
                    decision.rule, decision.continues_outage = armed, True
                continue
            if self._occurs(armed, context, meta, call, step, decision):
                decision.drawn_rules.append(armed.rule.name)
                if decision.rule is None:
                    decision.rule = armed
                    decision.counters_if_applied = _counters_after(armed, counters, call, candidate.left)
        if counters.get(MUTED) == step:
            decision.rule = None
        return decision

    def _candidates(self, app: App, tool: Tool) -> tuple[_Candidate, ...]:
        candidates = self._by_tool.get(tool)
        if candidates is None:
            concerned = [r for r in self.schedule.rules if _is_relevant(r, app, tool)]
            candidates = self._by_tool[tool] = tuple(_candidate(r, app, tool) for r in concerned)
        return candidates

    def _occurs(self, armed: ArmedRule, context: Context, meta: Meta, call: int, step: int, decision: Decision) -> bool:
        rule, when, counters = armed.rule, armed.rule.when, meta.counters
        nth = 0
        if when.nth is not None:
            key = f"{PREFIX}{rule.name}"
            nth = decision.counters[key] = counters.get(key, 0) + 1
        if when.after is not None and call <= when.after:
            return False
        if when.before is not None and call >= when.before:
            return False
        if when.steps is not None and not when.steps[0] <= step <= when.steps[1]:
            return False
        if rule.times is not None and counters.get(f"{PREFIX}{rule.name}.landed", 0) >= rule.times:
            return False
        last = counters.get(f"{PREFIX}{rule.name}.last")
        if rule.cool_down and last is not None and call <= last + rule.cool_down:
            return False
        if when.call is not None and call not in when.call:
            return False
        if when.nth is not None and nth not in when.nth:
            return False
        if rule.fault in self.schedule.budget:
            due = sum(turn <= call for turn in self.turns(meta.seed, rule.fault))
            if counters.get(f"{PREFIX}={rule.fault}", 0) >= due:
                return False
        elif when.probability is not None and _share(meta.seed, rule.name, step) >= when.probability:
            return False
        return not when.state or all_hold(when.state, context)

    def turns(self, seed: int, kind: str) -> tuple[int, ...]:
        """Return the call numbers from which the budgeted faults of a kind are due."""
        return _turns(seed, kind, self.schedule.budget[kind], self.schedule.turns)

    def alias(self, counters: Mapping[str, int], app: App, name: str) -> Alias | None:
        """Return the tool that is now called `name`, if a rename is in force."""
        for armed in self._per_tool:
            old = armed.fault.old_name(name)
            if old in app.tools and counters.get(_left(armed, app.name, old)):
                return Alias(armed, old)
        return None

    def listed_tools(self, counters: Mapping[str, int], app: App) -> dict[str, Tool | None]:
        """Return the app's tools that a fault has changed, each as it is listed now; None if it is hidden."""
        return {
            tool.name: armed.fault.listed_tool(tool)
            for armed in self._per_tool
            for tool in app.tools.values()
            if counters.get(_left(armed, app.name, tool.name))
        }


def count_call(counters: Mapping[str, int]) -> dict[str, int]:
    """Count the running call in the session's number of calls under its schedule."""
    return {_CALLS: counters.get(_CALLS, 0) + 1}


def random_of(seed: int, rule: str, step: int) -> Random:
    """Return the random generator of one fault's details."""
    return Random(keyed_digest(seed, f"fault.{rule}", step, 1))  # noqa: S311 seeded on purpose


def _share(seed: int, rule: str, step: int) -> float:
    return int.from_bytes(keyed_digest(seed, f"fault.{rule}", step)[:7], "big") / 2**56


@lru_cache(maxsize=4096)
def _turns(seed: int, kind: str, number: int, among: int) -> tuple[int, ...]:
    random = Random(keyed_digest(seed, f"budget.{kind}", 0))  # noqa: S311 seeded on purpose
    return tuple(sorted(random.sample(range(1, among + 1), number)))


def _is_relevant(armed: ArmedRule, app: App, tool: Tool) -> bool:
    match = armed.rule.match
    if match.app and not fits(match.app, app.name):
        return False
    if tool.name in armed.fault.ended_by(app.name):
        return True
    if match.tool and not fits(match.tool, tool.name):
        return False
    if match.effect and tool.effect not in match.effect:
        return False
    return armed.fault.effects is None or tool.effect in armed.fault.effects


def _candidate(armed: ArmedRule, app: App, tool: Tool) -> _Candidate:
    ends_outage = tool.name in armed.fault.ended_by(app.name)
    wanted = {} if ends_outage else armed.rule.match.arguments
    arguments = tuple(
        _ArgumentCondition(tuple(path.split(".")), value, _pattern(value)) for path, value in wanted.items()
    )
    left = _left_in_app(armed, app.name) if ends_outage else _left(armed, app.name, tool.name)
    return _Candidate(armed, left, ends_outage, arguments)


def _pattern(value: Any) -> re.Pattern[str] | None:
    return re.compile(translate(value)) if isinstance(value, str) and any(c in value for c in "*?[") else None


def _left(armed: ArmedRule, app: str, tool: str) -> str:
    """Return the counter of the remaining calls of an outage."""
    in_app = _left_in_app(armed, app)
    return f"{in_app}.{tool}" if armed.scope == "tool" else in_app


def _left_in_app(armed: ArmedRule, app: str) -> str:
    """Return the counter of an outage of the app, which is also the prefix of its tools' counters."""
    return f"{PREFIX}{armed.rule.name}.left.{app}"


def _counters_after(armed: ArmedRule, counters: Mapping[str, int], call: int, left_key: str) -> dict[str, int]:
    landed, kind = f"{PREFIX}{armed.rule.name}.landed", f"{PREFIX}={armed.rule.fault}"
    after = {landed: counters.get(landed, 0) + 1, kind: counters.get(kind, 0) + 1}
    if armed.rule.cool_down:
        after[f"{PREFIX}{armed.rule.name}.last"] = call
    if armed.lasts > 1:
        after[left_key] = FOREVER if armed.lasts >= FOREVER else armed.lasts - 1
    return after
