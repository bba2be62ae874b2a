"""Error messages of Go's jsonschema and encoding/json."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, go

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "count": {"type": "integer"},
        "tags": {"type": ["null", "array"], "items": {"type": "string"}},
        "deep": {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]},
    },
    "required": ["title"],
    "additionalProperties": False,
}
TOOL = Tool("x", "t", "d", SCHEMA, "read")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, 'validating root: required: missing properties: ["title"]'),
        ({"title": 3}, 'validating root: validating /properties/title: type: 3 has type "integer", want "string"'),
        (
            {"title": None},
            "validating root: validating /properties/title: type:"
            ' <invalid reflect.Value> has type "null", want "string"',
        ),
        (
            {"title": {"b": 1e6, "a": [True, None]}},
            "validating root: validating /properties/title: type:"
            ' map[a:[true <nil>] b:1e+06] has type "object", want "string"',
        ),
        (
            {"title": "x", "count": 1.5},
            'validating root: validating /properties/count: type: 1.5 has type "number", want "integer"',
        ),
        (
            {"title": "x", "tags": "a"},
            'validating root: validating /properties/tags: type: a has type "string", want one of "null, array"',
        ),
        (
            {"title": "x", "tags": ["a", 1]},
            "validating root: validating /properties/tags: validating /properties/tags/items: type:"
            ' 1 has type "integer", want "string"',
        ),
        (
            {"title": "x", "deep": {}},
            'validating root: validating /properties/deep: required: missing properties: ["on"]',
        ),
        ({"title": "x", "b": 1, 'a"': 2}, 'validating root: unexpected additional properties ["b" "a\\""]'),
    ],
)
def test_the_first_violation_is_reported_with_its_path(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        go.check(TOOL, arguments)
    assert refused.value.message == f'validating "arguments": {message}'


def test_whole_numbers_become_go_ints_and_overflows_are_reported() -> None:
    assert go.check(TOOL, {"title": "x", "count": 3.0}) == {"title": "x", "count": 3}
    with pytest.raises(InvalidArguments) as refused:
        go.check(TOOL, {"title": "x", "count": 1e30}, "main.Args")
    assert refused.value.message == 'json: cannot unmarshal "1e+30" into Go struct field main.Args.count of type int'


def test_the_sdk_answers_on_the_error_channel() -> None:
    with pytest.raises(InvalidArguments) as refused:
        go.check(TOOL, None)
    error = go.invalid_arguments(refused.value).wire()["error"]
    assert error["code"] == -32602
    assert error["message"].startswith('invalid params: validating "arguments": validating root: required')
    assert go.unknown_tool("no\ttool").wire()["error"] == {"code": -32602, "message": 'unknown tool "no\\ttool"'}
