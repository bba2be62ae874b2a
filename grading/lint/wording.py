"""Write texts that satisfy a check in different styles: eight in English, eight in Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from soundstage.grading.matchers import NumberIs, Reading, Says, TimeIs, Words, format_time
from soundstage.grading.texts.numbers import number_of

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ZH_DIGITS = "零一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class Fact:
    """The content of one slot: alternative phrases, a time (possibly without a clock time), or a number."""

    phrases: tuple[str, ...] = ()
    moment: datetime | None = None
    day_only: bool = False
    number: float | None = None
    tolerance: float = 0.0
    unit: tuple[str, ...] = ()


def facts(says: Says, reading: Reading) -> list[Fact]:
    """Return the facts that fill every slot of a text; forbidden phrases are left out."""
    result: list[Fact] = []
    for slot in says.slots:
        match slot:
            case Words(phrases, absent):
                if not absent:
                    result.append(Fact(tuple(str(reading.bound(p)) for p in phrases)))
            case TimeIs():
                if limits := slot.limits(reading):
                    start, _ = limits[0]
                    whole_day = all(b - a >= 86_399 for a, b in limits)
                    at = datetime.fromtimestamp(start + slot.tolerance_s if not whole_day else start, reading.zone)
                    result.append(Fact(moment=at, day_only=whole_day))
            case NumberIs():
                if (value := number_of(reading.bound(slot.value))) is not None:
                    result.append(Fact(number=value, tolerance=slot.tolerance, unit=slot.unit))
            case _:
                assert_never(slot)
    return result


@dataclass(frozen=True, slots=True)
class WritingStyle:
    """A style: the formats of a day, a clock time, both together (`both`) and a number, and how facts are joined."""

    name: str
    chinese: bool
    day: Callable[[datetime], str]
    clock: Callable[[datetime], str]
    both: str
    number: Callable[[float], str]
    together: Callable[[Sequence[str], Sequence[str]], str]

    def text(self, facts_to_state: Sequence[Fact]) -> str:
        """Write the facts as a text, with phrases first or last depending on the manner."""
        words = [self.phrase(f.phrases) for f in facts_to_state if f.phrases]
        values = [self.value(f) for f in facts_to_state if not f.phrases]
        return self.together(words, values)

    def phrase(self, phrases: Sequence[str]) -> str:
        """Return the first phrase in this manner's language, or else the first one."""
        return next((p for p in phrases if (not p.isascii()) == self.chinese), phrases[0])

    def moment(self, at: datetime) -> str:
        """Format a day with its clock time."""
        return self.both.format(day=self.day(at), clock=self.clock(at))

    def value(self, fact: Fact) -> str:
        """Format a time or a number."""
        if fact.moment is not None:
            return self.day(fact.moment) if fact.day_only else self.moment(fact.moment)
        assert fact.number is not None
        unit = self.phrase(fact.unit) if fact.unit else ""
        return f"{self.number(fact.number)}{'' if self.chinese or not unit else ' '}{unit}"


def _digits(value: float) -> str:
    return f"{value:.10g}"


def _grouped(value: float) -> str:
    return f"{value:,.10g}" if value >= 1000 and value == int(value) else _digits(value)


def _wide(text: str) -> str:
    """Convert digits, colons and signs to full width."""
    return "".join(chr(ord(c) + 0xFEE0) if c in "0123456789:" else c for c in text)


def in_chinese(value: float) -> str:
    """Write 1150 as 一千一百五十; fractions and numbers from a hundred million on stay digits."""
    if value != int(value) or not 0 <= value < 100_000_000:
        return _digits(value)
    number = int(value)
    if number >= 10_000:
        rest = number % 10_000
        zero = "零" if 0 < rest < 1000 else ""
        return f"{in_chinese(number // 10_000)}万{zero}{in_chinese(rest) if rest else ''}"
    text, pending = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            text += ("零" if pending and text else "") + _ZH_DIGITS[digit] + name
            pending = False
        else:
            pending = True
    text = text or "零"
    return text.removeprefix("一") if text.startswith("一十") else text


def _half_day(at: datetime) -> str:
    return "上午" if at.hour < 12 else "下午" if at.hour < 18 else "晚上"


def _zh_clock(at: datetime) -> str:
    minute = "半" if at.minute == 30 else f"{at.minute}分" if at.minute else ""
    return f"{_half_day(at)}{(at.hour - 1) % 12 + 1}点{minute}"


def _zh_spoken(at: datetime) -> str:
    hour = in_chinese((at.hour - 1) % 12 + 1).replace("二", "两") if (at.hour - 1) % 12 == 1 else None
    minute = "半" if at.minute == 30 else f"{in_chinese(at.minute)}分" if at.minute else ""
    return f"{_half_day(at)}{hour or in_chinese((at.hour - 1) % 12 + 1)}点{minute}"


def _am_pm(at: datetime) -> str:
    return f"{(at.hour - 1) % 12 + 1}:{at.minute:02} {'am' if at.hour < 12 else 'pm'}"


def _ordinal(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _month(at: datetime) -> str:
    return _MONTHS[at.month - 1]


def _weekday(at: datetime) -> str:
    return _DAYS[at.weekday()]


def _zh_weekday(at: datetime) -> str:
    return "一二三四五六日"[at.weekday()]


def _prose(words: Sequence[str], values: Sequence[str]) -> str:
    return f"Hello, this is about {' and '.join(words) or 'it'}: {', '.join(values) or 'that is all'}."


def _values_first(words: Sequence[str], values: Sequence[str]) -> str:
    return f"{', '.join(values) or 'Here it is'}: {'; '.join(words) or 'that is all'}."


def _list(words: Sequence[str], values: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in [*words, *values])


def _marked(words: Sequence[str], values: Sequence[str]) -> str:
    return "; ".join([*words, *(f"**{v}**" for v in values)])


def _zh_prose(words: Sequence[str], values: Sequence[str]) -> str:
    return f"大家好，说一下{'、'.join(words) or '这件事'}，是{'，'.join(values) or '这样'}。"


def _zh_values_first(words: Sequence[str], values: Sequence[str]) -> str:
    return f"{'，'.join(values) or '如下'}：{'；'.join(words) or '就这些'}。"


def _zh_list(words: Sequence[str], values: Sequence[str]) -> str:
    return "\n".join(f"{i}、{line}" for i, line in enumerate([*words, *values], start=1))


def _day_month(at: datetime) -> str:
    return f"{at.day} {_month(at)}"


def _short_day(at: datetime) -> str:
    return f"{at.day} {_month(at)[:3]} {at.year}"


def _iso_day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _clock(at: datetime) -> str:
    return f"{at:%H:%M}"


def _zoned(at: datetime) -> str:
    return at.isoformat(timespec="minutes")[11:]


def _zh_day(at: datetime) -> str:
    return f"{at.month}月{at.day}日"


def _wide_day(at: datetime) -> str:
    return _wide(_zh_day(at))


def _zh_day_week(at: datetime) -> str:
    return f"{_zh_day(at)}周{_zh_weekday(at)}"


def _zh_numeral_day(at: datetime) -> str:
    return f"{in_chinese(at.month)}月{in_chinese(at.day)}日"


ENGLISH = (
    WritingStyle(
        "prose", False, lambda t: f"{_weekday(t)}, {_day_month(t)}", _clock, "{day}, {clock}", _digits, _prose
    ),
    WritingStyle("the time before the day", False, _day_month, _clock, "{clock} on {day}", _grouped, _values_first),
    WritingStyle(
        "am and pm", False, lambda t: f"{_month(t)} {_ordinal(t.day)}", _am_pm, "{day}, {clock}", _grouped, _prose
    ),
    WritingStyle("a list", False, _short_day, _clock, "{day}, {clock}", _digits, _list),
    WritingStyle("ISO", False, _iso_day, _clock, "{day} {clock}", _digits, _marked),
    WritingStyle("ISO with its zone", False, _iso_day, _zoned, "{day}T{clock}", _digits, _prose),
    WritingStyle(
        "Markdown",
        False,
        lambda t: f"{_weekday(t)[:3]} {t.day} {_month(t)[:3]}",
        lambda t: _am_pm(t).replace(" ", ""),
        "{day}, {clock}",
        _grouped,
        _marked,
    ),
    WritingStyle(
        "am and pm before the day",
        False,
        lambda t: f"{_weekday(t)} the {_ordinal(t.day)} of {_month(t)}",
        _am_pm,
        "{clock} on {day}",
        _digits,
        _values_first,
    ),
)
CHINESE = (
    WritingStyle(
        "行文", True, lambda t: f"{_zh_day(t)}（周{_zh_weekday(t)}）", _clock, "{day}{clock}", _digits, _zh_prose
    ),
    WritingStyle("上午下午", True, lambda t: f"{t.month}月{t.day}号", _zh_clock, "{day}{clock}", _digits, _zh_prose),
    WritingStyle(
        "年月日", True, lambda t: f"{t.year}年{_zh_day(t)}", _clock, "{day} {clock}", _grouped, _zh_values_first
    ),
    WritingStyle(
        "全角",
        True,
        _wide_day,
        lambda t: _wide(_clock(t)),
        "{day}{clock}",
        lambda n: _wide(_digits(n)),
        _zh_prose,
    ),
    WritingStyle("中文数字", True, _zh_numeral_day, _zh_spoken, "{day}{clock}", in_chinese, _zh_prose),
    WritingStyle("列表", True, lambda t: f"{t.month} 月 {t.day} 日", _clock, "{day} {clock}", _digits, _zh_list),
    WritingStyle("加粗", True, _iso_day, _clock, "{day} {clock}", _digits, _marked),
    WritingStyle("时间在前", True, _zh_day_week, _clock, "{clock}（{day}）", _digits, _zh_values_first),
)
STYLES = (*ENGLISH, *CHINESE)


def moved(stated: Sequence[Fact], seconds: int) -> list[Fact] | None:
    """Return the facts with their first time shifted; None if they contain no time."""
    for i, fact in enumerate(stated):
        if fact.moment is not None:
            at = datetime.fromtimestamp(fact.moment.timestamp() + seconds, fact.moment.tzinfo)
            return [*stated[:i], replace(fact, moment=at), *stated[i + 1 :]]
    return None


def miscounted(stated: Sequence[Fact]) -> Iterator[tuple[str, list[Fact]]]:
    """Yield the facts with one number wrong: one more, one less, ten times as many, digits swapped."""
    for i, fact in enumerate(stated):
        if fact.number is not None:
            for wrong in _near(fact.number, fact.tolerance):
                yield (
                    f"{_digits(wrong)} for {_digits(fact.number)}",
                    [*stated[:i], replace(fact, number=wrong), *stated[i + 1 :]],
                )
        elif fact.phrases and all(_COUNT.search(p) for p in fact.phrases):
            match = _COUNT.search(fact.phrases[0])
            assert match is not None
            wrong_phrase = f"{fact.phrases[0][: match.start()]}{int(match[0]) + 1}{fact.phrases[0][match.end() :]}"
            yield f"{wrong_phrase} for {fact.phrases[0]}", [*stated[:i], Fact((wrong_phrase,)), *stated[i + 1 :]]


_COUNT = re.compile(r"\d+")


def _near(number: float, tolerance: float) -> list[float]:
    by = 1 if not tolerance else 1.5 * tolerance
    result = [number + by, number * 10]
    if number > by:
        result.append(number - by)
    digits = _digits(number)
    if len(digits) > 1 and digits.isdigit() and (swapped := digits[:-2] + digits[-1] + digits[-2]) != digits:
        result.append(float(swapped))
    return [n for n in dict.fromkeys(result) if abs(n - number) > tolerance]


def two_faced(stated: Sequence[Fact], other: datetime, style: WritingStyle, how: str) -> str | None:
    """Write a text that names the right first time and another one, as the old one (`from`) or as a choice (`or`)."""
    right = next((f for f in stated if f.moment is not None), None)
    if right is None or right.moment is None:
        return None
    write = style.day if right.day_only else style.moment
    values = {
        ("from", False): f"moved from {write(right.moment)} to {write(other)}",
        ("or", False): f"{write(right.moment)} or {write(other)}",
        ("from", True): f"从{write(right.moment)}改到{write(other)}",
        ("or", True): f"{write(right.moment)}或者{write(other)}",
    }
    rest = [f for f in stated if f is not right]
    words = [style.phrase(f.phrases) for f in rest if f.phrases]
    others = [style.value(f) for f in rest if not f.phrases]
    return style.together(words, [*others, values[how, style.chinese]])


def shown(values: Mapping[str, object], reading: Reading) -> str:
    """Format bound values for the names of runs."""
    return ", ".join(
        f"{name} {format_time(v, reading.zone) if isinstance(v, int) and v > 100_000_000 else v}"
        for name, v in values.items()
    )
