"""Error messages of zod, compared with recordings of the library (written by `record_zod.mjs`)."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, zod, zod3, zod4

Case = dict[str, Any]
GENERATIONS = {"zod3": zod3, "zod4": zod4}
CASES = [
    pytest.param(module, json.loads(line), id=f"{name}: {json.loads(line)['rule']}")
    for name, module in GENERATIONS.items()
    for line in (Path(__file__).parent / f"{name}.jsonl").read_text().splitlines()
]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "pattern": "^[A-Z]"},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"a b": {"type": "number"}}}},
        "same": {"$ref": "#/properties/rows/items"},
    },
    "required": ["title"],
    "additionalProperties": False,
}
BROKEN = {"title": "x", "rows": [{"a b": "1"}], "same": {"a b": None}, "extra": 1}


def tool(schema: dict[str, Any]) -> Tool:
    return Tool("x", "t", "d", schema, "read")


def refusal(words: ModuleType, arguments: Any, layout: zod.Layout, **options: Any) -> str:
    with pytest.raises(InvalidArguments) as refused:
        zod.check(tool(SCHEMA), arguments, words, layout, **options)
    return refused.value.message


@pytest.mark.parametrize(("words", "case"), CASES)
def test_each_rule_is_checked_and_worded_as_by_zod(words: ModuleType, case: Case) -> None:
    given = tool(case["schema"])
    if "accepted" in case:
        handed_on = zod.check(given, case["arguments"], words, zod.as_json, strict=case.get("strict"))
        assert json.dumps(handed_on) == json.dumps(case["accepted"])
        return
    with pytest.raises(InvalidArguments) as refused:
        zod.check(given, case["arguments"], words, zod.as_json, strict=case.get("strict"))
    assert refused.value.message == case["refused"]


def test_paths_follow_the_messages_one_per_line() -> None:
    assert refusal(zod4, BROKEN, zod.at_paths).splitlines() == [
        "Invalid string: must match pattern /^[A-Z]/ at title",
        "Invalid input: expected number, received string at rows[0].a b",
        "Invalid input: expected number, received null at same.a b",
        'Unrecognized key: "extra"',
    ]


def test_the_arguments_as_a_whole_have_no_path_or_are_the_root() -> None:
    fine = {"title": "X", "extra": 1}
    assert refusal(zod4, fine, zod.by_paths) == 'Unrecognized key: "extra"'
    assert refusal(zod4, fine, zod.by_paths_from_root) == 'root: Unrecognized key: "extra"'


def test_paths_precede_the_messages_on_one_line() -> None:
    assert refusal(zod3, BROKEN, zod.by_paths) == (
        "title: Invalid, rows.0.a b: Expected number, received string, same.a b: Expected number, received null"
    )


def test_unknown_keys_are_refused_or_dropped_as_the_app_declares() -> None:
    fine = {"title": "X", "extra": 1}
    assert zod.check(tool(SCHEMA), fine, zod3, zod.as_json) == {"title": "X"}
    assert zod.check(tool(SCHEMA), fine, zod4, zod.as_json, strict=False) == {"title": "X"}
    assert refusal(zod3, fine, zod.at_paths, strict=True) == "Unrecognized key(s) in object: 'extra'"


def test_a_pattern_can_have_a_custom_message() -> None:
    message = refusal(zod3, {"title": "x"}, zod.at_paths, pattern_messages={"title": "Titles begin in capitals"})
    assert message == "Titles begin in capitals at title"


def test_a_call_without_arguments_is_undefined_to_zod() -> None:
    assert refusal(zod4, None, zod.at_paths) == "Invalid input: expected object, received undefined"
    assert refusal(zod3, None, zod.at_paths) == "Required"


def test_a_number_too_large_for_javascript_is_infinite() -> None:
    count = tool({"type": "object", "properties": {"count": {"type": "number"}}})
    with pytest.raises(InvalidArguments, match="expected number, received Infinity"):
        zod.check(count, {"count": 10**400}, zod4, zod.as_json)


def test_a_default_is_new_for_every_call() -> None:
    tags = tool({"type": "object", "properties": {"tags": {"type": "array", "default": []}}})
    zod.check(tags, {}, zod3, zod.as_json)["tags"].append("mine")
    assert zod.check(tags, {}, zod3, zod.as_json) == {"tags": []}
