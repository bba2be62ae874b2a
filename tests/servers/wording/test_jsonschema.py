"""Error messages of python-jsonschema, compared with those of the library itself."""

from __future__ import annotations

from typing import Any

import jsonschema as real
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.exceptions import best_match

from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, jsonschema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "pattern": "^[a-z/]*$"},
        "how": {"type": "string", "enum": ["append", "replace"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "rate": {"type": "number"},
        "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "to": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "integer"}}}]},
    },
    "required": ["path", "how"],
}
TOOL = Tool("x", "t", "d", SCHEMA, "read")
VALUES = st.sampled_from(
    ["", "a/b", "A", "append", 0, 1, 51, 2.5, 3.0, True, None, [], ["a"], ["a", 1], {}, {"id": 1}, {"id": "1"}]
)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "unknown"]), VALUES))
def test_a_call_is_refused_exactly_if_the_library_refuses_it(arguments: dict[str, Any]) -> None:
    expected = best_match(real.Draft202012Validator(SCHEMA).iter_errors(arguments))
    if expected is None:
        assert jsonschema.check(TOOL, arguments) is arguments
        return
    with pytest.raises(InvalidArguments) as refused:
        jsonschema.check(TOOL, arguments)
    assert refused.value.message == expected.message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"path": None}, "None is not of type 'string'"),
        ({"how": "insert"}, "'insert' is not one of ['append', 'replace']"),
        ({"limit": 51}, "51 is greater than the maximum of 50"),
        ({"limit": "9"}, "'9' is not of type 'integer'"),
        ({"tags": []}, "[] should be non-empty"),
        ({"to": {"id": "x"}}, "'x' is not of type 'integer'"),
    ],
)
def test_the_best_match_of_all_errors_is_reported(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        jsonschema.check(TOOL, {"path": "a", "how": "append", **changes})
    assert refused.value.message == message


def test_a_call_without_arguments_has_none() -> None:
    with pytest.raises(InvalidArguments, match="'path' is a required property"):
        jsonschema.check(TOOL, None)
