"""The words of zod 4, checked against what the library itself says (node with zod 4.1 wrote the expected texts down)."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.servers import zod
from soundstage.servers.tool import Tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 2, "maxLength": 4},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "rate": {"type": "number", "exclusiveMinimum": 0},
        "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "deep": {"type": "object", "properties": {"x": {"type": "object", "properties": {}}}, "required": ["x"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
    },
    "required": ["title", "deep"],
}
FINE = {"title": "abc", "deep": {"x": {}}}


def _said(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    return [(i.dotted_path(), i.message) for i in zod.issues(SCHEMA, arguments)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, []),
        ({"title": 3}, [("title", "Invalid input: expected string, received number")]),
        ({"title": None}, [("title", "Invalid input: expected string, received null")]),
        ({"title": "a"}, [("title", "Too small: expected string to have >=2 characters")]),
        ({"title": "😀😀😀"}, [("title", "Too big: expected string to have <=4 characters")]),
        ({"kind": "c"}, [("kind", 'Invalid option: expected one of "a"|"b"')]),
        ({"count": 1.5}, [("count", "Invalid input: expected int, received number")]),
        ({"count": True}, [("count", "Invalid input: expected number, received boolean")]),
        ({"count": 0}, [("count", "Too small: expected number to be >=1")]),
        ({"count": 10}, [("count", "Too big: expected number to be <=9")]),
        ({"rate": 0}, [("rate", "Too small: expected number to be >0")]),
        ({"on": "yes"}, [("on", "Invalid input: expected boolean, received string")]),
        ({"tags": {}}, [("tags", "Invalid input: expected array, received object")]),
        ({"tags": ["a", 1, "b", None]}, [
            ("tags[1]", "Invalid input: expected string, received number"),
            ("tags[3]", "Invalid input: expected string, received null"),
        ]),
        ({"tags": []}, [("tags", "Too small: expected array to have >=1 items")]),
        ({"deep": {}}, [("deep.x", "Invalid input: expected object, received undefined")]),
        ({"deep": []}, [("deep", "Invalid input: expected object, received array")]),
        ({"either": None}, [("either", "Invalid input")]),
    ],
)  # fmt: skip
def test_each_mistake_is_said_as_zod_says_it(changes: dict[str, Any], said: list[tuple[str, str]]) -> None:
    assert _said({**FINE, **changes}) == said


def test_missing_members_come_in_the_order_of_the_schema() -> None:
    assert [path for path, _ in _said({"kind": 1})] == ["title", "kind", "deep"]


def test_unknown_members_are_dropped_at_every_depth_and_only_where_asked() -> None:
    tool = Tool("x", "t", "d", SCHEMA, "read")
    given = {**FINE, "extra": 1, "deep": {"x": {"y": 1}, "z": 2}}
    assert zod.parse(tool, given, strip=True) == {"title": "abc", "deep": {"x": {}}}
    assert zod.parse(tool, given, strip=False) == given
    with pytest.raises(zod.InvalidArguments):
        zod.parse(tool, {}, strip=True)
