"""A state with one nested value of a wrong type is refused whole, or no tool minds it: what kernels rely on is declared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from soundstage.contexts.apps import tables_of
from soundstage.contexts.engine import state
from soundstage.contexts.engine.schema import StateError
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import app_names, load_app
from tests.gateway.calls import ArgumentMaker, texts_of
from tests.kernels.cases import Case, read_cases

_VALUES: tuple[Any, ...] = (True, 7, 1.5, "x", [], {}, [[]], {"x": 1}, None)
_OTHER_CALLS = 3

Place = tuple[str | int, ...]


def _has_nested_values(app: str) -> bool:
    return any(entity.json_fields - {"_extra"} for entity in tables_of(app).entities.values())


@cache
def _cases(app: str) -> list[Case]:
    """Those whose state has something nested."""
    return [case for case in read_cases(app) if any(_places(app, case.line["given"]))]


def _places(app: str, given: dict[str, list[dict[str, Any]]]) -> Iterator[Place]:
    """Every value that stands in a nested one."""
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


@pytest.mark.parametrize("app", [app for app in app_names() if _has_nested_values(app)])
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_one_nested_value_of_a_wrong_type_is_refused_or_does_no_harm(
    app: str, data: st.DataObject, new_session: Callable[..., Session]
) -> None:
    if not _cases(app):
        pytest.skip("its cases give nothing that is nested")
    case = data.draw(st.sampled_from(_cases(app)))
    wrong = copy.deepcopy(case.line["given"])
    *way, last = data.draw(st.sampled_from(list(_places(app, wrong))))
    holder: Any = wrong
    for name in way:
        holder = holder[name]
    holder[last] = data.draw(st.sampled_from([v for v in _VALUES if type(v) is not type(holder[last])]))

    session = new_session(at="2026-03-10T09:00:00Z")
    before = session.context.read_meta().step
    refused = None
    try:
        with session.context.step("state", "state", None):
            state.load(session.context, {app: wrong})
    except StateError as error:
        refused = str(error)
    if refused is not None:
        assert refused.startswith(f"{app}.{way[0]}[")
        assert ": expected " in refused
        assert state.dump(session.context) == {}
        assert session.context.read_meta().step == before
        return

    maker = ArgumentMaker(data.draw(st.integers(0, 10**6)), sorted(set(texts_of(wrong))))
    tools = data.draw(st.lists(st.sampled_from(list(load_app(app).tools.values())), max_size=_OTHER_CALLS))
    calls = [(case.tool, case.line["arguments"]), *((tool.name, maker.fitting(tool)) for tool in tools)]
    with capture_logs() as logs:
        for tool, arguments in calls:
            dispatch(session, load_app(app), tool, arguments)
            assert not logs, (tool, arguments, logs)  # a kernel that raises is logged
    state.check(session.context, state.dump(session.context))  # what kernels write has its shape, too


@pytest.mark.parametrize("app", app_names())
def test_every_nested_value_says_what_it_looks_like(app: str) -> None:
    undeclared = [
        f"{entity.name}.{column.name}"
        for entity in tables_of(app).entities.values()
        for column in entity.table.columns
        if column.name in entity.json_fields and column.name != "_extra" and "shape" not in column.info
    ]
    assert not undeclared
