"""Runs that look right and are wrong: one call is left out, made twice, made wrongly, or added."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from soundstage.grading.checks import final_conditions
from soundstage.grading.lint.arguments import all_later, exchanged, leaves, miscounted, put, resized, swapped
from soundstage.grading.lint.mutant import Mutant
from soundstage.grading.lint.oracle_run import OracleRun, PlayedCall
from soundstage.grading.matchers import TimeIs, without_bind
from soundstage.grading.oracle import derived_script, dropped, oracle, repeated
from soundstage.grading.task import all_checks

_SHIFTS = {
    "an hour later": 3600,
    "an hour earlier": -3600,
    "a day later": 86_400,
    "a day earlier": -86_400,
    "a week later": 604_800,
    "a week earlier": -604_800,
    "twelve hours off": 43_200,
}
_BEYOND_S = 900  # half of the distance by which `pinned` widens spans
_ROLES = {"assignee": "follower", "follower": "assignee"}


def mistakes(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield all wrong runs, including the near misses that people wrote."""
    yield from _left_out_or_twice(oracle_run)
    for made in oracle_run.writing:
        for operator, name, arguments in wrong_arguments(oracle_run, made):
            calls = oracle_run.instead(made.label, made.call(arguments=arguments))
            yield Mutant(operator, oracle_run.script(f"{made.label} {name}", calls), "caught", strict=False)
    yield from _collateral(oracle_run)
    yield from _out_of_order(oracle_run)
    for miss in oracle_run.task.near_misses:
        yield Mutant("hand-written", derived_script(oracle_run.task, miss), "caught", fails=miss.fails)


def wrong_arguments(oracle_run: OracleRun, made: PlayedCall) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield operator, name and arguments of every way to make a call wrongly."""
    seen = [made.arguments]
    for operator, name, arguments in _wrong(oracle_run, made):
        if arguments not in seen:
            seen.append(arguments)
            yield operator, name, arguments


def _wrong(oracle_run: OracleRun, made: PlayedCall) -> Iterator[tuple[str, str, dict[str, object]]]:
    for mistaken in oracle_run.mistaken:
        yield (
            mistaken.operator,
            f"for {mistaken.taken_for} instead of {mistaken.meant}",
            swapped(made.arguments, mistaken.texts),
        )
    for name, seconds in _shifts(oracle_run, made).items():
        yield "wrong time", name, all_later(made.arguments, seconds)
    if (turned := exchanged(made.arguments)) is not None:
        yield "wrong time", "with start and end in each other's place", turned
    for name, arguments in miscounted(made.arguments):
        yield "wrong number", name, arguments
    people = [m.texts for m in oracle_run.mistaken if m.operator == "wrong person"]
    for name, arguments in resized(made.arguments, people):
        yield "wrong set", f"with {name}", arguments
    for path, leaf in leaves(made.arguments):
        if path and path[-1] == "role" and leaf in _ROLES:
            yield "wrong person", f"as {_ROLES[leaf]} instead of {leaf}", put(made.arguments, path, _ROLES[leaf])


def _shifts(oracle_run: OracleRun, made: PlayedCall) -> dict[str, int]:
    """Return time shifts in seconds: the usual slips, the zone's UTC offset, and just beyond a check's tolerance."""
    reading = oracle_run.reading(made.app)
    now_here = datetime.fromtimestamp(oracle_run.evidence.now, oracle_run.evidence.zone)
    result = {**_SHIFTS, "as if local time were UTC": round((now_here.utcoffset() or timedelta()).total_seconds())}
    moments = [m for _, leaf in leaves(made.arguments) if (m := reading.moment(leaf)) is not None]
    for check in all_checks(oracle_run.task):
        for matcher in final_conditions(check).values():
            inner = without_bind(matcher)
            if not isinstance(inner, TimeIs):
                continue
            limits = inner.limits(reading)
            for now in (m for m in moments if any(a <= m <= b for a, b in limits)):
                for beyond in [m for a, b in limits for m in (a - _BEYOND_S, b + _BEYOND_S)]:
                    if not any(a <= beyond <= b for a, b in limits):
                        result.setdefault(f"{(beyond - now) // 60} minutes off, just beyond", beyond - now)
    return {name: seconds for name, seconds in result.items() if seconds}


def _left_out_or_twice(oracle_run: OracleRun) -> Iterator[Mutant]:
    whole = oracle(oracle_run.task)
    writing = {m.label.partition("[")[0]: m for m in oracle_run.writing}
    for call in oracle_run.task.oracle:
        if call.as_ not in writing:
            continue
        yield Mutant("drop", dropped(whole, call.as_), "caught", strict=False)
        if writing[call.as_].effect == "create":
            yield Mutant("repeat", repeated(whole, call.as_), "caught")
    for made in oracle_run.writing:
        if "[" in made.label:
            yield Mutant(
                "drop",
                oracle_run.script(f"without {made.label}", oracle_run.instead(made.label)),
                "caught",
                strict=False,
            )


def _collateral(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield the right run with one additional change: the same elsewhere, or an arbitrary one."""
    calls = tuple(m.call() for m in oracle_run.made)
    for made in oracle_run.writing:
        if (mistaken := oracle_run.elsewhere.get(made.label)) is not None:
            more = made.call(label=f"{made.label}_elsewhere", arguments=swapped(made.arguments, mistaken.texts))
            name = f"{made.label} also for {mistaken.taken_for}"
            yield Mutant("collateral", oracle_run.script(name, (*calls, more)), "caught", strict=False)
    for further in oracle_run.besides:
        name = f"and {further.tool} besides"
        yield Mutant("collateral", oracle_run.script(name, (*calls, further)), "caught", strict=False)


def _out_of_order(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield runs in which calls that must follow others are made before them."""
    calls = [m.call() for m in oracle_run.made]
    steps = [c.step for c in oracle_run.evidence.calls]
    for check in all_checks(oracle_run.task):
        for other in check.after:
            first, then = oracle_run.came_true.get(other), oracle_run.came_true.get(check.id)
            if first is None or then is None or first >= then:
                continue
            i, j = steps.index(first), steps.index(then)
            order = (*calls[:i], calls[j], *calls[i:j], *calls[j + 1 :])
            yield Mutant(
                "wrong order",
                oracle_run.script(f"{check.id} before {other}", order),
                "caught",
                (check.id,),
                strict=False,
            )
