from __future__ import annotations

from typing import Any

import pytest

from soundstage.contexts.engine.shapes import Shape, misfit

_TREE: Shape = {"name": str, "kids": [lambda: _TREE]}
_PERSON = {"id": str, "age": int, "tags": [str], "boss": ({"id": str}, None), ...: (str, bool)}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"id": "a", "age": 3, "tags": [], "boss": None},
        {"id": "a", "boss": {"id": "b", "anything": [1]}, "nick": "x", "away": True},
    ],
)
def test_valid_values_fit_and_members_are_optional(value: object) -> None:
    assert misfit(_PERSON, value) is None


@pytest.mark.parametrize(
    ("shape", "value", "path", "expected"),
    [
        (_PERSON, [], "", "an object (id, age, tags, boss …)"),
        (_PERSON, {"id": 5}, ".id", "text"),
        (_PERSON, {"id": None}, ".id", "text"),
        (_PERSON, {"age": True}, ".age", "a whole number"),
        (_PERSON, {"age": 1.5}, ".age", "a whole number"),
        (_PERSON, {"tags": ["a", 1]}, ".tags[1]", "text"),
        (_PERSON, {"tags": "a"}, ".tags", "a list, each text"),
        (_PERSON, {"boss": {"id": []}}, ".boss.id", "text"),
        (_PERSON, {"boss": "b"}, ".boss", "an object (id …) or null"),
        (_PERSON, {"nick": 1}, ".nick", "text or true or false"),
        ([float], [1, 1.5, False], "[2]", "a number"),
        ((bool, [str]), 1, "", "true or false or a list, each text"),
        (dict, "x", "", "an object"),
        (_TREE, {"kids": [{}, {"kids": [{"name": "a"}, {"name": 1}]}]}, ".kids[1].kids[1].name", "text"),
        (_TREE, {"kids": [{"kids": {}}]}, ".kids[0].kids", "a list, each an object (name, kids …)"),
    ],
)
def test_a_misfit_is_reported_with_its_place(shape: Shape, value: Any, path: str, expected: str) -> None:
    problem = misfit(shape, value)
    assert problem is not None
    assert (problem.path, problem.expected) == (path, expected)
