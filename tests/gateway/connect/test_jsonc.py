"""Changing one member of a JSON text leaves the others unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.gateway.connect import jsonc

_KEYS = st.sampled_from(["mcpServers", "a", "b", "é", 'with "quotes"', ""])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_INDENTS = st.sampled_from([None, 2, 4, "\t"])


@given(st.dictionaries(_KEYS, _VALUES, max_size=4), _INDENTS, _VALUES)
def test_a_member_put_and_dropped_leaves_the_rest(whole: dict[str, Any], indent: Any, value: Any) -> None:
    whole.pop("mcpServers", None)
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    with_it = jsonc.put(text, ("mcpServers", "soundstage"), value)
    assert json.loads(with_it) == {**whole, "mcpServers": {"soundstage": value}}
    assert jsonc.get(with_it, ("mcpServers", "soundstage")) == value
    assert json.loads(jsonc.drop(with_it, ("mcpServers", "soundstage"))) == {**whole, "mcpServers": {}}
    assert json.loads(jsonc.drop(with_it, ("mcpServers",))) == whole


@given(
    st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4), _INDENTS, _VALUES, st.sampled_from(["", ",", ", // why"])
)
def test_a_member_put_next_to_others_and_dropped_leaves_no_trace(
    whole: dict[str, Any], indent: Any, value: Any, ending: str
) -> None:
    whole.pop("soundstage", None)
    text = json.dumps({"mcpServers": whole}, indent=indent, ensure_ascii=False)
    if indent is not None:  # the last member ends in the ways in which people end it
        unit = "\t" if indent == "\t" else " " * indent
        text = text.removesuffix(f"\n{unit}}}\n}}") + f"{ending}\n{unit}}}\n}}"
    path = ("mcpServers", "soundstage")
    assert jsonc.drop(jsonc.put(text, path, value), path) == text


@given(st.dictionaries(_KEYS, st.dictionaries(_KEYS, _VALUES, max_size=3), min_size=1, max_size=3), _INDENTS, st.data())
def test_any_member_can_be_dropped(whole: dict[str, Any], indent: Any, data: Any) -> None:
    outer = data.draw(st.sampled_from(sorted(whole)))
    text = json.dumps(whole, indent=indent)
    for inner in whole[outer]:
        expected = {**whole, outer: {k: v for k, v in whole[outer].items() if k != inner}}
        assert json.loads(jsonc.drop(text, (outer, inner))) == expected


@given(st.text(alphabet='{}[]",:/*\\ \n1antrue', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = jsonc.parse(text)
    except jsonc.BrokenJson:
        return
    if node.members is not None:
        assert jsonc.get(jsonc.put(text, ("x",), 1), ("x",)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "x": 2\n}'),
        ('{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "x": 2,\n}'),
        ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "x": 2\n}'),
        ("{}", '{\n  "x": 2\n}'),
        ('{"a": 1}', '{"a": 1, "x": 2}'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"x": 2\r\n}'),
        ('\ufeff{"a": 1}', '\ufeff{"a": 1, "x": 2}'),
    ],
)
def test_a_new_member_is_formatted_like_its_neighbours(before: str, after: str) -> None:
    assert jsonc.put(before, ("x",), 2) == after
