"""Extraction of JSON and code blocks from realistic model answers."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.models.asking import Unusable
from soundstage.models.reading import fenced, json_in


@pytest.mark.parametrize(
    "text",
    [
        '{"calls": [{"a": 1}]}',
        'Here you are:\n\n```json\n{"calls": [{"a": 1}]}\n```\nTell me if you need more.',
        'I thought of [1] first, and of {nothing} then: {"calls": [{"a": 1}]} That is all {really}.',
        '<think>{"a": 2}</think>\n{"calls": [{"a": 1}]}',
    ],
)
def test_json_is_extracted_from_prose_and_fences(text: str) -> None:
    assert json_in(text) == {"calls": [{"a": 1}]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("I cannot do that.", "there is no JSON object in it; it begins 'I cannot do that.'"),
        ('{"calls": [{"a": 1}, {"a": 2}, {"a"', "broken"),
        ('{"calls": [{"a": 1}, {"a": "and then', "broken: Unterminated string"),
        ('```json\n{"calls": [{"a": 1}, {"b"\n```', "broken"),
        ('{"a": NaN}', "is not valid JSON"),
        ("[" * 200_000, "broken"),
        ("[" * 100 + "]" * 100, "nested too deeply"),
    ],
)
def test_a_part_of_broken_json_is_not_used(text: str, message: str) -> None:
    with pytest.raises(Unusable, match=message):
        json_in(text)


@given(st.text())
def test_any_text_can_be_read_without_error(text: str) -> None:
    with contextlib.suppress(Unusable):
        assert isinstance(json_in(text), dict | list)
    assert all(block.content in text.replace("\r\n", "\n") + "\n" for block in fenced(text))


def test_code_blocks_are_returned_with_the_line_above_them() -> None:
    answer = (
        "Two files.\n\n`kernels/shop/add.py`\n\n```python\ndef run(context, arguments):\n    return {}\n```\n\n"
        "````markdown kernels/shop/add.md\nAs in\n```\nx\n```\n````\nDone."
    )
    first, second = fenced(answer)
    assert (first.info, first.above) == ("python", "`kernels/shop/add.py`")
    assert first.content == "def run(context, arguments):\n    return {}\n"
    assert (second.info, second.above) == ("markdown kernels/shop/add.md", "")
    assert second.content == "As in\n```\nx\n```\n"


@pytest.mark.parametrize("text", ["```python\ndef run(", "no fence", "```\n~~~", "````\n```"])
def test_an_unclosed_code_block_is_ignored(text: str) -> None:
    blocks: list[Any] = fenced(text)
    assert blocks == []
