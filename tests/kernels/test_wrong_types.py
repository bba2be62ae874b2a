"""A state with a nested value of a wrong type is rejected, or no tool fails on it: kernels rely only on declared types."""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from structlog.testing import capture_logs

from soundstage.contexts.apps import tables_of
from soundstage.contexts.engine import state
from soundstage.contexts.engine.schema import Object, StateError
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import App, app_names, load_app
from tests.gateway.calls import ArgumentMaker, texts_of
from tests.kernels.cases import Case, read_cases

_VALUES: tuple[Any, ...] = (True, 7, 1.5, "x", [], {}, [[]], {"x": 1}, None)
_OTHER_CALLS = 3
_LOADED = 0.01
"""Share of the states rejected by their object that are also checked as a whole."""

Place = tuple[str | int, ...]


def _has_nested_values(app: str) -> bool:
    return any(entity.json_fields - {"_extra"} for entity in tables_of(app).entities.values())


@cache
def _cases(app: str) -> list[Case]:
    """Return the cases whose state has nested values."""
    return [case for case in read_cases(app) if any(_places(app, case.line["given"]))]


def _places(app: str, given: dict[str, list[dict[str, Any]]]) -> Iterator[Place]:
    """Yield the positions of all nested values."""
    tables = tables_of(app)
    for name, objects in given.items():
        if (entity := tables.entities.get(name)) is not None:
            for i, value in enumerate(objects):
                for field, item in value.items():
                    if field in entity.json_fields or field not in entity.fields:
                        yield from _below(item, (name, i, field))


def _below(value: Any, place: Place) -> Iterator[Place]:
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from _below(item, (*place, name))


def _by_place(app: str, by_tool: bool) -> dict[tuple[str, Place], list[tuple[Case, Place]]]:
    """Return the cases by position of their values, with list items merged."""
    cases_by_place = defaultdict(list)
    for case in _cases(app):
        for place in _places(app, case.line["given"]):
            of_all = tuple("#" if isinstance(name, int) else name for name in place)
            cases_by_place[case.tool if by_tool else "", of_all].append((case, place))
    return cases_by_place


def _wrong_ones(case: Case, place: Place, values: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the case's state with each value of a different type at a position."""
    for value in values:
        wrong = copy.deepcopy(case.line["given"])
        *way, last = place
        holder: Any = wrong
        for name in way:
            holder = holder[name]
        if type(value) is not type(holder[last]):
            holder[last] = copy.deepcopy(value)
            yield wrong


@pytest.mark.parametrize(
    ("by_tool", "cases", "values"),
    [(False, 1, 2), pytest.param(True, 1, len(_VALUES), marks=pytest.mark.long)],
    ids=["some", "all"],
)
@pytest.mark.parametrize("app", [app for app in app_names() if _has_nested_values(app)])
def test_a_nested_value_of_a_wrong_type_is_refused_or_does_no_harm(
    app: str, by_tool: bool, cases: int, values: int, new_session: Callable[..., Session]
) -> None:
    """Test every position, or those of each tool, with some or all wrong types."""
    if not _cases(app):
        pytest.skip("its cases give nothing that is nested")
    draw = random.Random(app)
    for known in _by_place(app, by_tool).values():
        for case, place in draw.sample(known, min(cases, len(known))):
            for wrong in _wrong_ones(case, place, draw.sample(_VALUES, values)):
                _refused_or_harmless(app, case, place, wrong, draw, new_session)


def _refused_or_harmless(
    app: str, case: Case, place: Place, wrong: dict[str, Any], draw: random.Random, new_session: Callable[..., Session]
) -> None:
    entity, number = tables_of(app).entities[str(place[0])], int(place[1])
    where = f"{app}.{entity.name}[{number}]"
    refusal = _refusal(lambda: entity.check(wrong[entity.name][number], where))
    if refusal is not None:
        assert refusal.startswith(where)
        assert ": expected " in refusal or refusal.startswith(f"{where}: "), "an entity's own rule speaks of all of it"
        if draw.random() > _LOADED:
            return
    session = new_session(at="2026-03-10T09:00:00Z")
    before = session.context.read_meta().step

    def load() -> None:
        with session.context.step("state", "state", None):
            state.load(session.context, {app: wrong})

    try:
        if (refused := _refusal(load)) is not None:
            assert refused.startswith(where)
            assert ": expected " in refused or refused == refusal
            assert state.dump(session.context) == {}
            assert session.context.read_meta().step == before
        else:
            assert refusal is None
            maker = ArgumentMaker(draw.randrange(10**6), sorted(set(texts_of(wrong))))
            others = draw.sample(list(load_app(app).tools.values()), min(_OTHER_CALLS, len(load_app(app).tools)))
            calls = [(case.tool, case.line["arguments"]), *((tool.name, maker.fitting(tool)) for tool in others)]
            assert _raising(session, load_app(app), calls) == [], (case.tool, case.number, place, wrong)
            state.check(
                session.context, state.dump(session.context)
            )  # the output of kernels has the declared shape too
    finally:
        session.context.close()


def _refusal(work: Callable[[], object]) -> str | None:
    try:
        work()
    except StateError as error:
        return str(error)
    return None


def _raising(session: Session, app: App, calls: list[tuple[str, Object]]) -> list[tuple[str, Object]]:
    """Return the calls for which a kernel raises an exception, which is logged."""
    failing = []
    for tool, arguments in calls:
        with capture_logs() as logs:
            dispatch(session, app, tool, arguments)
        if logs:
            failing.append((tool, arguments))
    return failing


@pytest.mark.parametrize("app", app_names())
def test_every_nested_value_has_a_declared_shape(app: str) -> None:
    undeclared = [
        f"{entity.name}.{column.name}"
        for entity in tables_of(app).entities.values()
        for column in entity.table.columns
        if column.name in entity.json_fields and column.name != "_extra" and "shape" not in column.info
    ]
    assert not undeclared
