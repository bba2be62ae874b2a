"""A spec becomes a world's state: cast, setting, storylines, everyday life, rows, and the check at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.accounts import People
from soundstage.contexts.engine.state import State
from soundstage.models.asking import Model
from soundstage.source import SourceError
from soundstage.worlds.apps import all_wording
from soundstage.worlds.builder import corpora
from soundstage.worlds.builder.check import Finding, check_plan, check_state
from soundstage.worlds.builder.conversations import add_conversations
from soundstage.worlds.builder.days import Days
from soundstage.worlds.builder.drafts import Draft, Plan
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.feeds import add_feed, finish_feed
from soundstage.worlds.builder.people import add_people
from soundstage.worlds.builder.rows import Names, RowMaker
from soundstage.worlds.builder.setting import add_made_up_places, add_places, add_spaces, add_things
from soundstage.worlds.builder.spec import Sources, Spec, read_spec
from soundstage.worlds.builder.storylines import Arc, add_storylines
from soundstage.worlds.builder.traces import Traces
from soundstage.worlds.builder.wording import Wording
from soundstage.worlds.builder.writer import TextSource
from soundstage.worlds.builder.written import Written

Progress = Callable[[str, int, int], None]
"""Progress callback: receives the current item, the number done and the total."""

_EVERYDAY = ("event", "task", "document", "record")


@dataclass(frozen=True, slots=True)
class Built:
    """A world as state with the names of its rows, and the data that pictures and checks need."""

    sources: Sources
    plan: Plan
    arcs: list[Arc]
    state: State
    names: Names
    people: People


def quiet(_: str, __: int, ___: int) -> None:
    """Ignore progress."""


def build(path: Path, progress: Progress = quiet, *, model: Model | None = None) -> Built:
    """Build the world of a spec file.

    With a model, missing texts are requested first and stored in `written.jsonl` next to the spec.

    Raises:
        SourceError: names every mistake in the sources by its place.
        ModelError: the model fails; the texts that it has written are stored.
        CheckFailed: the result fails its checks.
    """
    sources = read_spec(path)
    written = path.parent / "written.jsonl"
    if model is not None and sources.spec.writer == "model":
        wanted = Written(written, collect=True)
        _build(sources, wanted, progress)
        wanted.ask(model, progress)
    return _build(sources, Written(written), progress)


def build_checked(path: Path, progress: Progress = quiet, *, model: Model | None = None) -> Built:
    """Build the world of a spec file and run all checks on it.

    Raises:
        CheckFailed: contains all findings. Other errors are those of `build`.
    """
    built = build(path, progress, model=model)
    if findings := check(built):
        raise CheckFailed(findings)
    return built


def check(built: Built) -> list[Finding]:
    """Everything in a built world that does not hold."""
    spec = built.sources.spec
    return check_plan(built.plan, spec) + check_state(built.state, all_wording(), spec)


class CheckFailed(ValueError):
    """A world that was built but does not hold."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        super().__init__("\n".join(str(f) for f in findings))


def _build(sources: Sources, written: Written, progress: Progress) -> Built:
    spec = sources.spec
    wording = all_wording()
    plan = Plan()
    traces = Traces(plan, spec, _kinds(wording))
    shared_threads, shared_texts = corpora.shared()
    threads = corpora.read_threads([*shared_threads, *sources.threads])
    pieces = corpora.Texts(corpora.read_texts([*shared_texts, *sources.texts]), spec.seed, again=spec.sizes.again)
    words = {**corpora.vocabulary(), **spec.vocabulary}

    _known_apps(plan, sources, wording)
    add_people(plan, sources)
    add_places(plan, sources)
    add_made_up_places(plan, sources, sorted({thread.topic for thread in threads}))
    add_things(plan, sources, traces)
    arcs = add_storylines(plan, sources, traces)
    add_spaces(plan, sources, traces)
    if plan.mistakes:
        raise SourceError(plan.mistakes)
    days = Days(plan, spec, traces, pieces, words)
    for key, routine in spec.routines.items():
        days.routine(key, routine, sources.place("routines", key))
    days.tables()
    add_conversations(plan, spec, traces, threads, words, progress)
    for app, entities in spec.sizes.rows.items():
        for entity, wanted in entities.items():
            kind = wording[app][entity].made_from[0]
            if kind in _EVERYDAY:
                days.fill(kind, app, wanted, progress)
            elif kind == "post":
                add_feed(plan, spec, traces, pieces, app, wanted)
            elif kind != "message":
                _fill_plainly(plan, sources, app, kind, wanted)
    traces.finish()
    for app in spec.feeds:
        finish_feed(plan, spec, app)
    if plan.mistakes:
        raise SourceError(plan.mistakes)
    people = [p for p in plan.of_kind("person") if p.values["standing"] == "active"]
    texts = TextSource(pieces, words, spec.seed, written, people)
    maker = RowMaker(plan, wording, spec.seed, _world(sources), texts)
    state = maker.state(progress)
    if plan.mistakes:
        raise SourceError(plan.mistakes)
    return Built(sources, plan, arcs, state, maker.names, _people(plan, maker, wording, spec))


def _people(plan: Plan, maker: RowMaker, wording: Wording, spec: Spec) -> People:
    """Return everyone's accounts in the available apps, and the world's user."""
    accounts: dict[str, dict[str, str]] = {}
    for person in plan.of_kind("person"):
        for app in person.values["accounts"]:
            if app in wording and isinstance(key := maker.key(app, person), str | int):
                accounts.setdefault(person.key, {})[app] = str(key)
    return People(spec.user, accounts)


def _kinds(wording: Wording) -> dict[str, set[str]]:
    """Which kinds of drafts become rows in which apps."""
    apps_by_kind: dict[str, set[str]] = {}
    for app, declared in wording.items():
        for entity in declared.values():
            for kind in entity.made_from:
                apps_by_kind.setdefault(kind, set()).add(app)
    return apps_by_kind


def _known_apps(plan: Plan, sources: Sources, wording: Wording) -> None:
    """Check that sizes and places name existing apps and entities. Accounts may name a planned app, but no misspelled one."""
    for app in sources.spec.accounts.keys() - wording.keys():
        if meant := get_close_matches(app, wording, 1, 0.75):
            plan.refuse(sources.place("accounts", app), f"unknown app {app!r}; did you mean {meant[0]}?")
    for app, entities in sources.spec.sizes.rows.items():
        if app not in wording:
            plan.refuse(sources.place("sizes", "rows", app), f"unknown app {app!r}; known: {', '.join(wording)}")
            continue
        for name in entities.keys() - wording[app].keys():
            known = ", ".join(wording[app])
            plan.refuse(sources.place("sizes", "rows", app, name), f"unknown entity {name!r}; {app} has: {known}")
    for section in ("places", "calendars", "bases", "spaces"):
        for key, value in getattr(sources.spec, section).items():
            if value.app not in wording:
                known = ", ".join(wording)
                plan.refuse(sources.place(section, key, "app"), f"unknown app {value.app!r}; known: {known}")
    if plan.mistakes:
        raise SourceError(plan.mistakes)


def _fill_plainly(plan: Plan, sources: Sources, app: str, kind: str, wanted: int) -> None:
    """Rows of which the spec says nothing but their number: every column is left to its filler."""
    spec = sources.spec
    have = sum(1 for _ in plan.of_kind(kind, app))
    people = [p for p in plan.of_kind("person", app) if p.values["standing"] == "active"]
    for number in range(have, wanted):
        draw = Draw(spec.seed, "plain", app, kind, number)
        values: dict[str, Any] = {}
        at = spec.begin_ms + draw.below(spec.days * 86_400) * 1000
        if people:
            author = draw.choice(people)
            values = {"author": author, "by": author, "owner": author}
            at = max(at, author.at)
        plan.add(Draft(kind, f"plain/{app}/{number}", app, at, values, sources.place("sizes", "rows")))


def _world(sources: Sources) -> dict[str, Any]:
    spec = sources.spec
    organisation = spec.organisation
    return {
        "name": organisation.name,
        "domain": organisation.domain,
        "city": organisation.city,
        "zone": spec.zone,
        "epoch": spec.epoch_ms,
        "begin": spec.begin_ms,
    }
