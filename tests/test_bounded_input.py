"""JSON and YAML from outside: any text gives a value or one error message, and quickly."""

from __future__ import annotations

import time
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.bounded_input import (
    JSON_LIMITS,
    SCHEDULE_LIMITS,
    SPEC_LIMITS,
    Limits,
    Refused,
    file_bytes,
    read_json,
    read_yaml,
    show_place,
)

NARROW = Limits(size=2000, values=60, depth=6)
_LAUGHS = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 10))
BOMBS = [
    (f"l0: &l0 [lol]\n{_LAUGHS}", r"has too many values; at most \d+ are accepted.* \(line 5\)"),
    ("&a [*a]", r"has an alias \*a inside its own value \(line 1\)"),
    ("a: &a\n  b: {c: *a}", r"inside its own value \(line 2\)"),
    ("[*nobody]", r"has an alias \*nobody without its anchor"),
    ("[" * 100_000, "is nested too deeply; at most 24 levels"),
    ("- " * 50_000, "is nested too deeply"),
    ("{a: " * 50_000, "is nested too deeply"),
    (f"a: &a {'[' * 20}1{']' * 20}\nb: {'[' * 20}*a{']' * 20}", r"is nested too deeply.*\(line 2\)"),
    (f"n: {'9' * 100_000}", r"has a number of 100000 characters; at most 40"),
    (f"n: {10**30}", "needs more than 64 bits"),
    ("n: 1e999", "is too large"),
    (f"rules: [{'x,' * 30_000}]", "has too many values"),
    ("x" * 300_000, "is too large; at most 262144 bytes"),
    ("a: !!python/object/apply:os.getcwd []", "has the tag tag:yaml.org,2002:python/object/apply:os"),
    ("[a, b]: 1", "has a key that is not text"),
    ("a: 1\n---\nb: 2", r"has several documents; only one is accepted \(line 2\)"),
    ("rules: [\n  }", r"is not valid YAML: .*\(line 2\)"),
    ("a: \x00", "is not valid YAML"),
    (b"\xff\xfe\xfd", "is not UTF-8"),
    ("\ud800", "is not UTF-8"),
]


@pytest.mark.parametrize(("text", "words"), BOMBS, ids=lambda v: repr(v)[:25])
def test_a_bomb_is_refused_quickly_with_a_message(text: bytes | str, words: str) -> None:
    began = time.process_time()
    with pytest.raises(Refused, match=words):
        read_yaml(text, SCHEDULE_LIMITS)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "is not valid JSON"),
        ("[" * 300 + "]" * 300, "is nested too deeply; at most 200 levels"),
        ("9" * 100_000, "is not valid JSON"),
        ('{"a": 1', r"is not valid JSON \(.*column 8\) \(line 1\)"),
        (b'"\xff"', "is not valid JSON"),
        ('"\ud800"', "is not valid JSON"),
    ],
    ids=lambda v: repr(v)[:25],
)
def test_oversized_or_invalid_json_is_refused(text: bytes | str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        read_json(text, JSON_LIMITS)


def test_json_with_too_many_values_or_bytes_is_refused() -> None:
    assert read_json(b"[" + b"1," * 58 + b"1]", NARROW) == [1] * 59
    with pytest.raises(Refused, match="has too many values; at most 60"):
        read_json(b"[" + b"1," * 59 + b"1]", NARROW)
    with pytest.raises(Refused, match="at most 2000 bytes"):
        read_json(orjson.dumps("x" * 2000), NARROW)
    assert read_json(orjson.dumps("[{,"), NARROW) == "[{,"


def test_a_file_is_read_only_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(Refused, match="is too large"):
        file_bytes(path, SPEC_LIMITS)


def test_yaml_is_read_with_types_and_lines() -> None:
    text = "a: yes\nb: 2026-01-01\nc: 10:30\nd: [true, null, ~, 7, -2.5, 1e-2, '7', !!str 7]\ne:\n  f: &x {g: 1}\nh: *x\ni:\n"
    document = read_yaml(text, SPEC_LIMITS)
    assert document.value == {
        "a": "yes",
        "b": "2026-01-01",
        "c": "10:30",
        "d": [True, None, None, 7, -2.5, 0.01, "7", "7"],
        "e": {"f": {"g": 1}},
        "h": {"g": 1},
        "i": None,
    }
    lines = {show_place(place): line for place, line in document.lines.items()}
    assert (lines["d[4]"], lines["e.f.g"], lines["h"]) == (4, 6, 7)
    assert read_yaml("# nothing", SPEC_LIMITS).lines == {}


def test_a_repeated_key_is_reported_with_its_line() -> None:
    document = read_yaml("a:\n  b: 1\n  b: 2\n", SPEC_LIMITS)
    assert [(show_place(place), line) for place, line in document.repeated] == [("a.b", 3)]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def _like_json(value: object) -> bytes | None:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # a lone surrogate, which JSON does not allow
        return None


@given(_VALUES)
def test_any_json_value_is_read_back(value: object) -> None:
    text = _like_json(value)
    if text is not None:
        assert read_json(text) == value


_YAMLISH = st.text(alphabet="&*a: -[]{},?!|>'\"#%@\n\t1e.<~\\\0\ufeff\ud800é", max_size=60)


@given(_YAMLISH | st.text() | st.binary())
def test_any_yaml_text_gives_a_value_or_a_refusal(text: bytes | str) -> None:
    try:
        value = read_yaml(text, NARROW).value
    except Refused:
        return
    assert read_json(orjson.dumps(value)) == value
    assert len(orjson.dumps(value)) < 60 * 2500  # no alias expands to more than was counted


@given(st.text(alphabet='[]{},:"1e-\\u \n', max_size=40) | st.text() | st.binary())
def test_any_json_text_gives_a_value_or_a_refusal(text: bytes | str) -> None:
    try:
        value = read_json(text, NARROW)
    except Refused:
        return
    orjson.dumps(value)
