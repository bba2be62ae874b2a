"""Runs that solve the task as well as the oracle does; a grader that fails one of them is too strict."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from soundstage.grading.checks import final_conditions
from soundstage.grading.lint.arguments import all_later, is_time, leaves, put, swapped
from soundstage.grading.lint.mutant import Mutant
from soundstage.grading.lint.oracle_run import OracleRun, PlayedCall
from soundstage.grading.lint.wording import CHINESE, ENGLISH, STYLES, WritingStyle, facts, shown
from soundstage.grading.matchers import AnyOf, Equal, Matcher, Reading, Text, TimeIs, without_bind
from soundstage.grading.oracle import OracleError, Script, derived_script, oracle, references, with_text
from soundstage.grading.task import OracleCall, all_checks

ORDERS = 20
SEEDS = (0, 1, 7)
PRESETS = ("calm", "flaky", "adversarial")
FAULT_SEEDS = (0, 1, 2, 3, 4)


def equivalents(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield all equivalent runs; a `detour` counts only if it reaches the same final state."""
    yield from _oracles(oracle_run)
    yield from _reordered(oracle_run)
    yield from _with_reads(oracle_run)
    yield from _with_refusals(oracle_run)
    yield from _by_other_tools(oracle_run)
    yield from _in_other_words(oracle_run)
    yield from _with_other_values(oracle_run)
    yield from _by_detours(oracle_run)
    yield from _under_faults(oracle_run)
    for one in oracle_run.task.equivalents:
        yield Mutant("hand-written equivalent", derived_script(oracle_run.task, one), "success")


def _oracles(oracle_run: OracleRun) -> Iterator[Mutant]:
    whole = oracle(oracle_run.task)
    for seed in SEEDS:
        for durable in (False, True):
            where = "on disk" if durable else "in memory"
            yield Mutant(
                "oracle", replace(whole, name=f"oracle, seed {seed}, {where}"), "success", seed=seed, durable=durable
            )


def _under_faults(oracle_run: OracleRun) -> Iterator[Mutant]:
    whole = oracle(oracle_run.task)
    for preset in PRESETS:
        for seed in FAULT_SEEDS if whole.calls else ():
            script = replace(whole, name=f"oracle under {preset}, seed {seed}")
            yield Mutant("retries", script, "success", seed=seed, faults=preset)


def _reordered(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield other valid orders of the calls: a call stays after those whose replies it uses."""
    calls, whole = oracle_run.task.oracle, oracle(oracle_run.task)
    chance = random.Random(0)  # noqa: S311
    needs = {call.as_: references(call) for call in calls}
    seen = {tuple(call.as_ for call in calls)}
    for _ in range(ORDERS):
        left, order = list(calls), list[OracleCall]()
        while left:
            ready = [c for c in left if needs[c.as_] <= {done.as_ for done in order}]
            order.append(chance.choice(ready))
            left.remove(order[-1])
        if (names := tuple(c.as_ for c in order)) not in seen:
            seen.add(names)
            yield Mutant(
                "reorder", Script(f"order {len(seen) - 1}", tuple(order), whole.answer, whole.outcome), "success"
            )


def _with_reads(oracle_run: OracleRun) -> Iterator[Mutant]:
    reads, made = tuple(oracle_run.reads), tuple(m.call() for m in oracle_run.made)
    again = tuple(m.call(label=f"{m.label}_again") for m in oracle_run.made if not m.writes)
    further = (*again, *reads)
    if not further:
        return
    half = len(made) // 2
    places = {"after": (*made, *further), "between": (*made[:half], *further, *made[half:]), "before": (*reads, *made)}
    for where, calls in places.items():
        yield Mutant("extra reads", oracle_run.script(f"every read {where}", calls), "success")


def _with_refusals(oracle_run: OracleRun) -> Iterator[Mutant]:
    for made in oracle_run.made:
        if (broken := oracle_run.refused.get(made.label)) is not None:
            first = made.call(label=f"{made.label}_broken", arguments=broken)
            calls = oracle_run.instead(made.label, first, made.call())
            yield Mutant("failed calls", oracle_run.script(f"{made.label} refused first", calls), "success")


def _by_other_tools(oracle_run: OracleRun) -> Iterator[Mutant]:
    for other in oracle_run.others:
        yield Mutant(
            "other tool",
            oracle_run.script(f"{other.label} {other.how}", oracle_run.instead(other.label, other.call)),
            "success",
        )


def _in_other_words(oracle_run: OracleRun) -> Iterator[Mutant]:
    if not any(True for _ in oracle_run.spoken()) and not any(True for _ in oracle_run.answered()):
        return
    for style in STYLES:
        script = reworded(
            oracle_run, style, oracle_run.reading(), {m.label: m.call() for m in oracle_run.made}, f"as {style.name}"
        )
        yield Mutant("other wording", script, "success")


def reworded(
    oracle_run: OracleRun, style: WritingStyle, reading: Reading, calls: dict[str, OracleCall], name: str
) -> Script:
    """Return the script with all checked texts, including the answer, written in a manner."""
    reworded_calls = dict(calls)
    for label, about in oracle_run.facts_by_call(reading).items():
        try:
            reworded_calls[label] = with_text(reworded_calls[label], style.text(about))
        except OracleError:
            continue  # the call's text is spread over several arguments
    answer_facts = [fact for _, says in oracle_run.answered() for fact in facts(says, reading)]
    return oracle_run.script(name, tuple(reworded_calls.values()), style.text(answer_facts) if answer_facts else None)


def default_style(oracle_run: OracleRun) -> WritingStyle:
    """Return the plainest manner in the task's language."""
    return (CHINESE if oracle_run.task.language == "zh" else ENGLISH)[0]


def _with_other_values(oracle_run: OracleRun) -> Iterator[Mutant]:
    for check in all_checks(oracle_run.task):
        for matcher in final_conditions(check).values():
            for made in oracle_run.writing:
                yield from _other_moments(oracle_run, made, without_bind(matcher))
                yield from _other_literals(oracle_run, made, without_bind(matcher))


def _other_moments(oracle_run: OracleRun, made: PlayedCall, matcher: Matcher) -> Iterator[Mutant]:
    if not isinstance(matcher, TimeIs) or matcher.after is not None:
        return
    reading = oracle_run.reading(made.app)
    limits = matcher.limits(reading)
    chosen = [reading.moment(leaf) for _, leaf in leaves(made.arguments) if is_time(leaf)]
    now = next((m for m in chosen if m is not None and any(a <= m <= b for a, b in limits)), None)
    if now is None or (len(limits) == 1 and limits[0][0] == limits[0][1]):
        return
    whole_days = all((b - a) % 86_400 == 86_399 for a, b in limits)
    for other in dict.fromkeys(m for a, b in limits for m in ((a,) if whole_days else (a, b))):
        if other == now:
            continue
        there = oracle_run.reading(made.app)
        moved = {m for m in chosen if m is not None}
        for name, bound in there.binds.items():
            if bound in moved:
                there.binds[name] = bound + other - now
        calls = {m.label: m.call() for m in oracle_run.made}
        calls[made.label] = made.call(arguments=all_later(made.arguments, other - now))
        at = datetime.fromtimestamp(other, reading.zone)
        name = f"{made.label} at {at:%Y-%m-%d %H:%M} ({shown(there.binds, there)})"
        yield Mutant("other value", reworded(oracle_run, default_style(oracle_run), there, calls, name), "success")


def _other_literals(oracle_run: OracleRun, made: PlayedCall, matcher: Matcher) -> Iterator[Mutant]:
    if not isinstance(matcher, AnyOf):
        return
    values = [m.value for m in matcher.matchers if isinstance(m, Equal | Text)]
    for path, leaf in leaves(made.arguments):
        for other in values if leaf in values else ():
            if other != leaf:
                calls = oracle_run.instead(made.label, made.call(arguments=put(made.arguments, path, other)))
                yield Mutant("other value", oracle_run.script(f"{made.label} with {other!r}", calls), "success")


def _by_detours(oracle_run: OracleRun) -> Iterator[Mutant]:
    for made in oracle_run.writing:
        if made.outward:
            continue
        if made.effect == "update" and (wrong := _wrong_first(oracle_run, made)) is not None:
            first = made.call(label=f"{made.label}_first", arguments=wrong)
            calls = oracle_run.instead(made.label, first, made.call())
            yield Mutant("detour", oracle_run.script(f"{made.label} wrong, then right", calls), "success", strict=False)
        if (undo := oracle_run.undone.get(made.label)) is not None:
            first = made.call(label=f"{made.label}_first")
            base = made.label.partition("[")[0]
            script = [
                c for call in oracle_run.task.oracle for c in ((first, undo, call) if call.as_ == base else (call,))
            ]
            whole = oracle(oracle_run.task)
            name = f"{made.label} made, deleted, made again"
            yield Mutant("detour", Script(name, tuple(script), whole.answer, whole.outcome), "success")


def _wrong_first(oracle_run: OracleRun, made: PlayedCall) -> dict[str, object] | None:
    """Return arguments that first set a wrong value in the same row: another time, person or thing."""
    moved = all_later(made.arguments, 86_400)
    if moved != made.arguments:
        return dict(moved)
    own = {str(part) for change in made.changes for part in _parts(change["id"])}
    for mistaken in oracle_run.mistaken:
        if own.isdisjoint(mistaken.texts) and (wrong := swapped(made.arguments, mistaken.texts)) != made.arguments:
            return dict(wrong)
    return None


def _parts(key: object) -> list[object]:
    return list(key) if isinstance(key, list | tuple) else [key]
