"""Validate a schedule against a gateway's apps: tools, conditions and budget, as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.schedule import ArmedRule, Mistake, Names, Schedule, ScheduleMistakes, read_form
from soundstage.servers.catalogue import App
from soundstage.servers.tool import Tool

_EFFECTS = ("read", "create", "update", "delete", "other")


def read_schedule(document: object, apps: Mapping[str, App]) -> Schedule:
    """Parse and validate a schedule for a gateway with these apps.

    Raises:
        ScheduleMistakes: the schedule is invalid; lists every mistake.
    """
    schedule, mistakes = read_form(document)
    mistakes += [m for rule in schedule.rules for m in _in_rule(rule, apps)]
    mistakes += _names_used_twice(schedule)
    mistakes += _in_budget(schedule)
    if mistakes:
        raise ScheduleMistakes(mistakes)
    return schedule


def _in_rule(armed: ArmedRule, apps: Mapping[str, App]) -> Iterator[Mistake]:
    match, place = armed.rule.match, f"{armed.place}.match"
    unknown = [name for name in match.app if not _any(name, apps)]
    for name in unknown:
        yield Mistake(f"{place}.app", f"there is no app {name!r}; known: {', '.join(apps)}")
    inside = [a for a in apps.values() if not match.app or fits(match.app, a.name)]
    tools = [t for a in inside for t in a.tools.values()]
    if not unknown:
        names = [t.name for t in tools]
        for name in match.tool:
            if not _any(name, names):
                where = f"in {', '.join(match.app)}" if match.app else "in any app"
                yield Mistake(f"{place}.tool", f"there is no tool {name!r} {where}")
                unknown.append(name)
    for effect in match.effect:
        if effect not in _EFFECTS:
            yield Mistake(f"{place}.effect", f"there is no effect {effect!r}; known: {', '.join(_EFFECTS)}")
            unknown.append(effect)
    matching = [t for t in tools if not match.tool or fits(match.tool, t.name)]
    if not unknown:
        yield from _can_match(armed, matching)
    yield from _in_when(armed)
    for attribute, text in armed.fault.mistakes(inside, matching):
        yield Mistake(f"{armed.place}.{attribute}" if attribute else armed.place, text)


def _can_match(armed: ArmedRule, tools: list[Tool]) -> Iterator[Mistake]:
    match, place, kind = armed.rule.match, f"{armed.place}.match", armed.rule.fault
    fitting = [t for t in tools if not match.effect or t.effect in match.effect]
    if not fitting:
        yield Mistake(f"{place}.effect", f"none of the matching tools has the effect {' or '.join(match.effect)}")
        return
    if armed.fault.effects is not None and not any(t.effect in armed.fault.effects for t in fitting):
        wanted = ", ".join(sorted(armed.fault.effects))
        yield Mistake(place, f"{kind} applies only to tools with the effect {wanted}, and none of these tools has it")
        return
    for path in match.arguments:
        if not any(t.has_argument(path) for t in fitting):
            yield Mistake(f"{place}.arguments.{path}", "none of the matching tools has this argument")


def _in_when(armed: ArmedRule) -> Iterator[Mistake]:
    when, place = armed.rule.when, f"{armed.place}.when"
    after, before = when.after or 0, when.before
    if before is not None and before <= after + 1:
        yield Mistake(f"{place}.before", f"no call is after call {after} and before call {before}")
    elif when.call is not None:
        for number in when.call:
            if number <= after or (before is not None and number >= before):
                yield Mistake(f"{place}.call", f"call {number} is excluded by `after` and `before`")
    if when.steps is not None and not 1 <= when.steps[0] <= when.steps[1]:
        yield Mistake(
            f"{place}.steps",
            f"expected a first step of at least 1 and a last step that is not before it, got {list(when.steps)}",
        )
    for i, condition in enumerate(when.state):
        for member, text in condition.mistakes():
            yield Mistake(f"{place}.state[{i}].{member}", text)


def _in_budget(schedule: Schedule) -> Iterator[Mistake]:
    for kind, wanted in schedule.budget.items():
        place = f"budget.{kind}"
        rules = [r for r in schedule.rules if r.rule.fault == kind]
        if kind not in KINDS:
            yield Mistake(place, f"there is no fault {kind!r}; known: {', '.join(KINDS)}")
        elif not rules:
            yield Mistake(place, "no rule has this fault, so the budget could never be spent")
        if wanted > schedule.turns:
            yield Mistake(place, f"{wanted} do not fit into {schedule.turns} turns")
        if rules and all(r.rule.times is not None for r in rules) and sum(r.rule.times or 0 for r in rules) < wanted:
            most = sum(r.rule.times or 0 for r in rules)
            yield Mistake(place, f"the rules' `times` allow {most} of it, the budget asks for {wanted}")
        for armed in rules:
            named = [n for n in ("call", "nth", "probability") if getattr(armed.rule.when, n) is not None]
            if named:
                names = " and ".join(named)
                yield Mistake(
                    f"{armed.place}.when.{named[0]}", f"the budget draws the calls of {kind}; leave {names} out"
                )


def _names_used_twice(schedule: Schedule) -> Iterator[Mistake]:
    seen: dict[str, str] = {}
    for armed in schedule.rules:
        name = armed.rule.name
        if name in seen:
            yield Mistake(f"{armed.place}.name", f"{name!r} is the name of {seen[name]} too; draws depend on the name")
        seen.setdefault(name, armed.place)


def fits(patterns: Names, name: str) -> bool:
    """Whether a name matches one of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _any(pattern: str, names: Mapping[str, object] | list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names)
