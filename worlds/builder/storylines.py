"""Storylines: arcs whose dated beats leave traces in the apps. Their texts go into the world word for word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from soundstage.source import Source, SourceError, checked
from soundstage.worlds.builder.drafts import Plan
from soundstage.worlds.builder.forms import FLOWS, TraceError, known, needed
from soundstage.worlds.builder.posts import add_post
from soundstage.worlds.builder.records import add_record
from soundstage.worlds.builder.spec import Beat, Sources, Storyline
from soundstage.worlds.builder.traces import Traces

Place = Callable[..., str]
"""Names the place of a trace, or of an element at a path below it."""


@dataclass(frozen=True, slots=True)
class Arc:
    """A storyline for the timeline: (time, event) for each beat."""

    key: str
    title: str
    about: str
    people: tuple[str, ...]
    beats: tuple[tuple[int, str], ...]


def add_storylines(plan: Plan, sources: Sources, traces: Traces) -> list[Arc]:
    """Add what all storylines leave behind, and the spec's traces that belong to none."""
    arcs = [_storyline(plan, sources, line, source, traces) for line, source in sources.storylines]
    for i, entry in enumerate(sources.spec.traces):
        _trace(plan, entry, None, partial(sources.place, "traces", str(i)), traces, f"traces/{i}")
    return arcs


def _storyline(plan: Plan, sources: Sources, line: Storyline, source: Source, traces: Traces) -> Arc:
    for i, key in enumerate(line.people):
        if plan.find(key, "person") is None:
            plan.refuse(source.place(("people", i)), f"{key!r} is nobody of the cast")
    beats: list[tuple[int, str]] = []
    before: tuple[int, str] | None = None
    for i, value in enumerate(line.beats):
        try:
            beat = checked(Beat, value, source, ("beats", i))
        except SourceError as error:
            plan.mistakes += error.mistakes
            continue
        at = sources.spec.moment(beat.at)
        where = source.place(("beats", i, "at"))
        if before is not None and at < before[0]:
            plan.refuse(where, f"{beat.at} is before the beat above it ({before[1]})")
        if at > sources.spec.epoch_ms:
            plan.refuse(where, f"{beat.at} is after the world's epoch ({sources.spec.epoch}): it has not happened yet")
        before = (at, beat.at)
        beats.append((at, beat.what))
        for j, trace in enumerate(beat.traces):
            place = partial(_place, source, "beats", i, "traces", j)
            _trace(plan, trace, at, place, traces, f"{line.storyline}/{i}/{j}")
    return Arc(line.storyline, line.title, line.about, tuple(line.people), tuple(beats))


def _place(source: Source, *path: str | int) -> str:
    return source.place(path)


def _trace(plan: Plan, entry: Any, at: int | None, place: Place, traces: Traces, key: str) -> None:
    where = place()
    if not isinstance(entry, dict) or not entry:
        plan.refuse(where, "a trace is `kind: …`")
        return
    if "thread" in entry:
        _thread(plan, entry, at, place, traces, key)
        return
    if len(entry) != 1:
        plan.refuse(where, f"a trace is one `kind: …`, not {', '.join(map(str, entry))}")
        return
    ((kind, value),) = entry.items()
    _add(traces, kind, value, at, where)


def _add(traces: Traces, kind: str, value: Any, at: int | None, where: str) -> None:
    """Add a trace of a kind. `at` is the beat's time."""
    try:
        match kind:
            case "thread":
                raise AssertionError("threads have turns; see `Traces.thread`")
            case "event":
                traces.event(value, at, where)
            case "task":
                traces.task(value, at, where)
            case "document":
                traces.document(value, at, where)
            case "record":
                add_record(traces, value, at, where)
            case "post":
                add_post(traces, value, at, where)
            case _:
                traces.other(kind, value, at, where)
    except TraceError as error:
        traces.plan.refuse(where, str(error))


def _thread(plan: Plan, entry: dict[str, Any], at: int | None, place: Place, traces: Traces, key: str) -> None:
    where = place()
    try:
        known(entry, "thread", "turns", "at", "flow")
        if not isinstance(needed(entry, "turns"), list):
            raise TraceError("`turns` is a list of `who +delay: text`")
    except TraceError as error:
        plan.refuse(where, str(error))
        return
    if entry.get("flow", "replies") not in FLOWS:
        plan.refuse(where, f"flow {entry['flow']!r} is none of {', '.join(FLOWS)}")
        return
    if "at" in entry:
        try:
            at = traces.spec.moment(str(entry["at"]))
        except ValueError:
            plan.refuse(where, f"{entry['at']!r} is not a moment; write it like 2026-11-20 09:30")
            return
    if at is None:
        plan.refuse(where, "a thread that belongs to no beat needs `at`")
        return
    turns = entry["turns"]
    places = [place("turns", i) for i in range(len(turns))]
    made = traces.thread(
        str(entry["thread"]), turns, at, where, key=key, flow=entry.get("flow", "replies"), places=places
    )
    if made and made[-1].at > traces.spec.epoch_ms:
        plan.refuse(where, "goes on after the world's epoch")
