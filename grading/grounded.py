"""Check that the values in an answer appeared in an earlier reply, to detect guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import orjson

from soundstage.grading.duplicates import leaves
from soundstage.grading.evidence import Evidence
from soundstage.grading.matchers import (
    AnyOf,
    Anything,
    Bind,
    Equal,
    Items,
    Matcher,
    Not,
    NumberIs,
    Pattern,
    Reading,
    Ref,
    Says,
    Slot,
    Text,
    TimeIs,
    Words,
    format_time,
    without_bind,
)
from soundstage.grading.texts import dates, numbers
from soundstage.grading.texts.normalize import normalize, says, without_punctuation


def ungrounded(matcher: Matcher, evidence: Evidence, reading: Reading) -> list[str]:
    """Describe the values of a matching answer that appeared in no reply."""
    values = list(_reply_values(evidence))
    return [what for slot in _slots(matcher, evidence.answer, reading) if (what := _guessed(slot, values, reading))]


def _reply_values(evidence: Evidence) -> Iterator[str]:
    """Yield every value in a reply; replies are MCP results whose text is mostly JSON."""
    for step in evidence.steps:
        if step.reply is None:
            continue
        for value in leaves(step.reply):
            try:
                document = orjson.loads(value)
            except orjson.JSONDecodeError:
                yield value
            else:
                yield from leaves(document)


def _slots(matcher: Matcher, answer: str, reading: Reading) -> list[Slot | Text]:
    """Return the parts of a matcher whose values must appear in a reply; of alternatives, those of the matching one."""
    match inner := without_bind(matcher):
        case AnyOf():
            return next((_slots(m, answer, reading) for m in inner.matchers if m.fits(answer, reading)), [])
        case Says():
            return list(inner.slots)
        case Text() | TimeIs() | NumberIs():
            return [inner]
        case Equal() | Ref() | Items() | Pattern() | Not() | Bind() | Anything():
            return []
    assert_never(inner)


def _guessed(slot: Slot | Text, values: list[str], reading: Reading) -> str | None:
    """Describe the content of a slot that appeared in no reply; None if it did."""
    match slot:
        case Words(absent=True):
            return None
        case Words(phrases=phrases):
            wanted = [str(reading.bound(p)) for p in phrases]
            stood = any(says(normalize(value), p) for value in values for p in wanted)
        case Text(value=value):
            wanted_text = without_punctuation(str(reading.bound(value)))
            stood = any(wanted_text in without_punctuation(text) for text in values)
        case NumberIs():
            stood = any(slot.fits(value, reading) or _holds_number(slot, value, reading) for value in values)
        case TimeIs():
            stood = any(slot.fits(value, reading) or _holds_moment(slot, value, reading) for value in values)
        case _:
            assert_never(slot)
    return None if stood else _shown(slot, reading)


def _holds_number(slot: NumberIs, value: str, reading: Reading) -> bool:
    return any(slot.fits(number.value, reading) for number in numbers.numbers(normalize(value)))


def _holds_moment(slot: TimeIs, value: str, reading: Reading) -> bool:
    spans = slot.limits(reading)
    return any(
        start <= seconds <= end
        for moment in dates.date_mentions(normalize(value), reading.zone, reading.now)
        for seconds in moment.readings
        for start, end in spans
    )


def _shown(slot: Slot | Text, reading: Reading) -> str:
    if isinstance(slot, TimeIs):
        return " or ".join(format_time(start, reading.zone) for start, _ in slot.limits(reading))
    return slot.describe(reading)
