"""Runs that solve the task as well as the oracle does; a grader that fails one of them is too strict."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from soundstage.grading.lint.arguments import all_later, is_moment, leaves, put, swapped
from soundstage.grading.lint.mutant import Mutant
from soundstage.grading.lint.scene import Made, Scene
from soundstage.grading.lint.wording import CHINESE, ENGLISH, MANNERS, Manner, facts, shown
from soundstage.grading.matchers import AnyOf, Equal, Matcher, Reading, Text, TimeIs, unbound
from soundstage.grading.oracle import OracleError, Script, oracle, references, rewritten, with_text
from soundstage.grading.task import OracleCall, all_checks

ORDERS = 20
SEEDS = (0, 1, 7)
PRESETS = ("calm", "flaky", "adversarial")
FAULT_SEEDS = (0, 1, 2, 3, 4)


def equivalents(scene: Scene) -> Iterator[Mutant]:
    """Yield all equivalent runs; those of `detour` count only if they reach the same final state."""
    yield from _oracles(scene)
    yield from _reordered(scene)
    yield from _with_reads(scene)
    yield from _with_refusals(scene)
    yield from _by_other_tools(scene)
    yield from _in_other_words(scene)
    yield from _with_other_values(scene)
    yield from _by_detours(scene)
    yield from _under_faults(scene)
    for one in scene.task.equivalents:
        yield Mutant("hand-written equivalent", rewritten(scene.task, one), "success")


def _oracles(scene: Scene) -> Iterator[Mutant]:
    whole = oracle(scene.task)
    for seed in SEEDS:
        for durable in (False, True):
            where = "on disk" if durable else "in memory"
            yield Mutant(
                "oracle", replace(whole, name=f"oracle, seed {seed}, {where}"), "success", seed=seed, durable=durable
            )


def _under_faults(scene: Scene) -> Iterator[Mutant]:
    whole = oracle(scene.task)
    for preset in PRESETS:
        for seed in FAULT_SEEDS if whole.calls else ():
            script = replace(whole, name=f"oracle under {preset}, seed {seed}")
            yield Mutant("retries", script, "success", seed=seed, faults=preset)


def _reordered(scene: Scene) -> Iterator[Mutant]:
    """Yield other valid orders of the calls: a call stays after those whose replies it uses."""
    calls, whole = scene.task.oracle, oracle(scene.task)
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


def _with_reads(scene: Scene) -> Iterator[Mutant]:
    reads, made = tuple(scene.reads), tuple(m.call() for m in scene.made)
    again = tuple(m.call(label=f"{m.label}_again") for m in scene.made if not m.writes)
    further = (*again, *reads)
    if not further:
        return
    half = len(made) // 2
    places = {"after": (*made, *further), "between": (*made[:half], *further, *made[half:]), "before": (*reads, *made)}
    for where, calls in places.items():
        yield Mutant("extra reads", scene.script(f"every read {where}", calls), "success")


def _with_refusals(scene: Scene) -> Iterator[Mutant]:
    for made in scene.made:
        if (broken := scene.refused.get(made.label)) is not None:
            first = made.call(label=f"{made.label}_broken", arguments=broken)
            calls = scene.instead(made.label, first, made.call())
            yield Mutant("failed calls", scene.script(f"{made.label} refused first", calls), "success")


def _by_other_tools(scene: Scene) -> Iterator[Mutant]:
    for other in scene.others:
        yield Mutant(
            "other tool", scene.script(f"{other.label} {other.how}", scene.instead(other.label, other.call)), "success"
        )


def _in_other_words(scene: Scene) -> Iterator[Mutant]:
    if not any(True for _ in scene.spoken()) and not any(True for _ in scene.answered()):
        return
    for manner in MANNERS:
        script = reworded(scene, manner, scene.reading(), {m.label: m.call() for m in scene.made}, f"as {manner.name}")
        yield Mutant("other wording", script, "success")


def reworded(scene: Scene, manner: Manner, reading: Reading, calls: dict[str, OracleCall], name: str) -> Script:
    """Return the script with all checked texts, including the answer, written in a manner."""
    said = dict(calls)
    for label, about in scene.said_by_call(reading).items():
        try:
            said[label] = with_text(said[label], manner.text(about))
        except OracleError:
            continue  # the call's text is spread over several arguments
    told = [fact for _, says in scene.answered() for fact in facts(says, reading)]
    return scene.script(name, tuple(said.values()), manner.text(told) if told else None)


def own_manner(scene: Scene) -> Manner:
    """Return the plainest manner in the task's language."""
    return (CHINESE if scene.task.language == "zh" else ENGLISH)[0]


def _with_other_values(scene: Scene) -> Iterator[Mutant]:
    for check in all_checks(scene.task):
        for matcher in {**check.to, **check.where}.values():
            for made in scene.writing:
                yield from _other_moments(scene, made, unbound(matcher))
                yield from _other_literals(scene, made, unbound(matcher))


def _other_moments(scene: Scene, made: Made, matcher: Matcher) -> Iterator[Mutant]:
    if not isinstance(matcher, TimeIs) or matcher.after is not None:
        return
    reading = scene.reading(made.app)
    limits = matcher.limits(reading)
    chosen = [reading.moment(leaf) for _, leaf in leaves(made.arguments) if is_moment(leaf)]
    now = next((m for m in chosen if m is not None and any(a <= m <= b for a, b in limits)), None)
    if now is None or (len(limits) == 1 and limits[0][0] == limits[0][1]):
        return
    whole_days = all((b - a) % 86_400 == 86_399 for a, b in limits)
    for other in dict.fromkeys(m for a, b in limits for m in ((a,) if whole_days else (a, b))):
        if other == now:
            continue
        there = scene.reading(made.app)
        moved = {m for m in chosen if m is not None}
        for name, bound in there.binds.items():
            if bound in moved:
                there.binds[name] = bound + other - now
        calls = {m.label: m.call() for m in scene.made}
        calls[made.label] = made.call(arguments=all_later(made.arguments, other - now))
        at = datetime.fromtimestamp(other, reading.zone)
        name = f"{made.label} at {at:%Y-%m-%d %H:%M} ({shown(there.binds, there)})"
        yield Mutant("other value", reworded(scene, own_manner(scene), there, calls, name), "success")


def _other_literals(scene: Scene, made: Made, matcher: Matcher) -> Iterator[Mutant]:
    if not isinstance(matcher, AnyOf):
        return
    values = [m.value for m in matcher.matchers if isinstance(m, Equal | Text)]
    for path, leaf in leaves(made.arguments):
        for other in values if leaf in values else ():
            if other != leaf:
                calls = scene.instead(made.label, made.call(arguments=put(made.arguments, path, other)))
                yield Mutant("other value", scene.script(f"{made.label} with {other!r}", calls), "success")


def _by_detours(scene: Scene) -> Iterator[Mutant]:
    for made in scene.writing:
        if made.outward:
            continue
        if made.effect == "update" and (wrong := _wrong_first(scene, made)) is not None:
            first = made.call(label=f"{made.label}_first", arguments=wrong)
            calls = scene.instead(made.label, first, made.call())
            yield Mutant("detour", scene.script(f"{made.label} wrong, then right", calls), "success", strict=False)
        if (undo := scene.undone.get(made.label)) is not None:
            first = made.call(label=f"{made.label}_first")
            base = made.label.partition("[")[0]
            script = [c for call in scene.task.oracle for c in ((first, undo, call) if call.as_ == base else (call,))]
            whole = oracle(scene.task)
            name = f"{made.label} made, deleted, made again"
            yield Mutant("detour", Script(name, tuple(script), whole.answer, whole.outcome), "success")


def _wrong_first(scene: Scene, made: Made) -> dict[str, object] | None:
    """Return arguments that first set a wrong value in the same row: another time, person or thing."""
    moved = all_later(made.arguments, 86_400)
    if moved != made.arguments:
        return dict(moved)
    own = {str(part) for change in made.changes for part in _parts(change["id"])}
    for mistaken in scene.mistaken:
        if own.isdisjoint(mistaken.texts) and (wrong := swapped(made.arguments, mistaken.texts)) != made.arguments:
            return dict(wrong)
    return None


def _parts(key: object) -> list[object]:
    return list(key) if isinstance(key, list | tuple) else [key]
