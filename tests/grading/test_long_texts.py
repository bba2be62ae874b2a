"""Long texts: a text over 32 KiB fails every text condition, and the work for shorter ones grows in proportion to the text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from soundstage.grading.matcher_parser import parse_matcher
from soundstage.grading.matchers import Reading, exceeds_limit, holds_for
from soundstage.grading.texts import cities, dates, normalize, numbers
from soundstage.grading.texts.limit import MOST_TEXT_BYTES, is_too_long
from soundstage.grading.verdict import grade
from tests.grading import journals

LONG = "milk " * (MOST_TEXT_BYTES // 5 + 1)
MATCHER = {
    "says": [
        {"time": "2026-12-01 14:30"},
        {"number": {"is": 5, "unit": ["km", "个"]}},
        ["dry run", "彩排"],
        {"not": ["x"]},
    ]
}


def _reading() -> Reading:
    return Reading(ZoneInfo("Asia/Shanghai"), journals.NOW, lambda name, app: frozenset())


# -- the limit ----------------------------------------------------------------------------------------------------------


def test_the_limit_counts_bytes() -> None:
    assert not is_too_long("a" * MOST_TEXT_BYTES)
    assert is_too_long("a" * (MOST_TEXT_BYTES + 1))
    assert not is_too_long("彩" * (MOST_TEXT_BYTES // 3))
    assert is_too_long("彩" * (MOST_TEXT_BYTES // 3 + 1))


@pytest.mark.parametrize(
    ("matcher", "value"),
    [
        ({"says": ["milk"]}, LONG),
        ({"not": {"says": ["honey"]}}, LONG),
        ({"says": [{"not": ["honey"]}]}, LONG),
        ({"any_of": [{"says": ["milk"]}, {"matches": ".*"}]}, LONG),
        ({"lacks": {"says": ["honey"]}}, ["short", LONG]),
        ({"contains": {"says": ["milk"]}}, ["milk", LONG]),
        ({"matches": "(milk )+"}, LONG),
        ({"text": LONG}, LONG),
        ({"says": ["milk"], "bind": "told"}, LONG),
    ],
)
def test_no_text_condition_holds_for_a_longer_text(matcher: dict[str, Any], value: Any) -> None:
    read = parse_matcher(matcher)
    assert exceeds_limit(read, value)
    assert not holds_for(read, value, _reading())


def test_values_that_are_not_read_as_text_have_no_limit() -> None:
    assert holds_for(parse_matcher({"eq": LONG}), LONG, _reading())


def test_an_overlong_answer_fails_and_the_verdict_names_the_limit() -> None:
    task = journals.task(checks=[{"id": "says", "title": "Says milk", "answer": {"says": ["milk"]}}])
    assert grade(task, journals.evidence(task, answer=LONG[:MOST_TEXT_BYTES])).success
    verdict = grade(task, journals.evidence(task, answer=LONG))
    assert not verdict.success
    assert verdict.checks[0].why == "the answer is longer than the 32,768 bytes of a text that are graded"


def test_an_overlong_row_fails_and_the_verdict_names_the_limit() -> None:
    task = journals.task(
        checks=[{"id": "noted", "title": "Noted", "created": {"jotter": "note"}, "where": {"text": {"says": ["milk"]}}}]
    )
    note = {"id": "n1", "pad_id": "p1", "text": LONG}
    verdict = grade(task, journals.evidence(task, journals.call(1, "add_note", changes=[journals.made("note", note)])))
    assert not verdict.success
    assert "text is longer than the 32,768 bytes" in verdict.checks[0].why


def test_an_overlong_row_can_be_a_forbidden_one() -> None:
    never = [{"app": "jotter", "entity": "note", "where": {"text": {"says": ["honey"]}}}]
    checks = [{"id": "noted", "title": "Noted", "created": {"jotter": "note"}, "where": {"pad_id": {"eq": "p1"}}}]
    task = journals.task(checks=checks, nothing_else={"never": never})

    def score(text: str) -> float:
        note = {"id": "n1", "pad_id": "p1", "text": text}
        return grade(
            task, journals.evidence(task, journals.call(1, "add_note", changes=[journals.made("note", note)]))
        ).score

    assert score("milk") == 1
    assert score("honey") == 0
    assert score(LONG + "honey") == 0


# -- texts that no date or number can express ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "14:30+99:99 on 1 May",
        "14:30+24:00 on 1 May",
        "0001-01-01, 2日",
        "9999年12月31、1日",
        "九" * 400 + "点五个",
        "9" * 400 + " km",
    ],
)
def test_a_text_with_impossible_values_is_graded(text: str) -> None:
    matcher = parse_matcher(MATCHER)
    assert not holds_for(matcher, text, _reading())


@pytest.mark.parametrize(
    "value", [10**18, -(10**18), 1e300, "9" * 400, "0001-01-01T00:00:00", "9999-12-31T23:59:59-12:00"]
)
def test_a_time_that_dates_cannot_express_is_ignored(value: object) -> None:
    assert _reading().moment(value) is None


# -- work ---------------------------------------------------------------------------------------------------------------


class _Counter:
    """Counts the work of reading a text: executed bytecode instructions, and characters given to regular expressions."""

    def __init__(self) -> None:
        self.work = 0

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        self.work += event == "opcode"
        return self.trace


class _Counted:
    """A pattern that counts the characters given to it. `match` counts the matched characters."""

    def __init__(self, pattern: re.Pattern[str], counter: _Counter) -> None:
        self._pattern = pattern
        self._counter = counter

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._pattern, name)

        def run(*arguments: Any) -> Any:
            matched = method(*arguments)
            if name == "match":
                self._counter.work += 1 if matched is None else 1 + len(matched.group())
            else:
                texts = [a for a in arguments if isinstance(a, str)]
                places = [a for a in arguments if isinstance(a, int)]
                begins, ends = [*places, 0, len(texts[-1])][:2] if len(places) != 1 else (places[0], len(texts[-1]))
                self._counter.work += max(0, ends - begins)
            return matched

        return run


@contextmanager
def _counting() -> Iterator[_Counter]:
    """Count the work of the block. The reach of words is so short that it fits into the shortest text."""
    counter = _Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dates, "_REACH", 20)
        patch.setattr(normalize, "_REACH", 20)
        for module in (dates, numbers, normalize, cities):
            for name, value in vars(module).items():
                if isinstance(value, re.Pattern):
                    patch.setattr(module, name, _Counted(value, counter))
        before = sys.gettrace()
        sys.settrace(counter.trace)
        try:
            yield counter
        finally:
            sys.settrace(before)


def _work(text: str) -> int:
    matcher, reading = parse_matcher(MATCHER), _reading()
    with _counting() as counter:
        holds_for(matcher, text, reading)
    return counter.work


_UNITS = ["9:00", "5 km", "1 May", "1 May 9:00", "9:00 on 1 May", "not", "dry run", "not dry run", "不是彩排", "彩排不了", "周四",
          "1日、", "99日", "11.27 周五", "half past two", "三点", "1,111,", "from", "closed on", "10-11 May", "moved", ",", "~",
          "14:30+08:00", "13:00 london", "\u0316\u0301", "5块4"]  # fmt: skip


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.sampled_from(_UNITS), min_size=1, max_size=3),
    st.sampled_from(["", " ", ", "]),
    st.sampled_from(["", "1 May "]),
)
@example(["9:00"], " ", "1 May ")
@example(["5 km"], " ", "")
@example(["9:00 on 1 May"], " ", "")
@example(["not dry run"], " ", "")
def test_work_grows_in_proportion_to_the_text(units: list[str], between: str, opening: str) -> None:
    unit = between.join([*units, ""])
    once, twice, thrice = (_work(opening + unit * (times * 500 // len(unit))) for times in (1, 2, 3))
    assert thrice - twice <= 1.25 * (twice - once)  # 1.67 times, if the work were quadratic


def test_a_time_with_endless_decimals_does_not_backtrack() -> None:
    # With backtracking, each of the 32,000 digits would be given up in turn, and the rest read again each time.
    ones = "10:00:00." + "1" * 32_000 + "%5"
    matched = dates.date_mentions(ones + " on 1 may", ZoneInfo("Asia/Shanghai"), journals.NOW)
    assert [m.day_only for m in matched] == [False]  # 10:00 on 1 May
    assert r"(?:\.\d++)?" in dates._TIME.pattern
