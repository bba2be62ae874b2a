"""Matchers: conditions of a task on one value of a row, or on a text.

`{eq: v}` · `{text: t}` · `{says: [slots]}` · `{number: …}` · `{time: …}` · `{ref: name}` · `{refs: [names]}` · `{set:
[matchers]}` · `{contains: m}` · `{lacks: m}` · `{ordered: [matchers]}` · `{matches: regex}` · `{any_of: [matchers]}` · `{not:
m}`. Each may have an additional `bind: name`; later checks refer to the matched value as `$name`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Literal, assert_never
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.schema import Object
from soundstage.grading.pairs import paired
from soundstage.grading.texts import dates, numbers
from soundstage.grading.texts.limit import is_too_long
from soundstage.grading.texts.normalize import holds, normalize, says, without_punctuation

_FIRST_S, _LAST_S = -62_100_000_000, 253_400_000_000
"""Epoch seconds of the first and the last time that dates can express in every zone."""


@dataclass(slots=True)
class Reading:
    """The context in which matchers read a value.

    Attributes:
        zone: Zone of times without an offset.
        now: The session's present in epoch seconds.
        ids: Returns the ids of a task name in an app: a row's id, or every id of a person.
        binds: Values that earlier checks bound.
    """

    zone: ZoneInfo
    now: int
    ids: Callable[[str, str], frozenset[str]]
    binds: dict[str, Any] = field(default_factory=dict)
    app: str = ""

    def moment(self, value: object) -> int | None:
        """Convert a cell to epoch seconds; None if it is not a time.

        Accepts seconds or milliseconds, ISO 8601, Slack's `ts`, or an object with a member that holds one of them.
        """
        if isinstance(value, dict):
            members = (value.get(k) for k in ("timestamp", "date_time", "dateTime", "date", "start", "time"))
            return next((m for v in members if v is not None and (m := self.moment(v)) is not None), None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _in_range(value / 1000 if value >= 100_000_000_000 else value)
        if not isinstance(value, str) or not value:
            return None
        if re.fullmatch(r"\d{9,}(\.\d+)?", value):
            return self.moment(float(value))
        try:
            parsed = datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            return None
        return _in_range((parsed if parsed.tzinfo else parsed.replace(tzinfo=self.zone)).timestamp())

    def bound(self, value: object) -> object:
        """Return the value bound to `$name`, None if it is unbound; any other value is returned unchanged."""
        return self.binds.get(value[1:]) if isinstance(value, str) and value.startswith("$") else value


def _in_range(seconds: float) -> int | None:
    """Return the rounded seconds, or None if dates cannot express them."""
    return round(seconds) if _FIRST_S <= seconds <= _LAST_S else None


class _BindsValue:
    """A matcher for which `bind` stores the matched value itself."""

    def bound_value(self, value: Any, reading: Reading) -> Any:
        """Return the part of a value that `bind` stores."""
        return value


@dataclass(frozen=True, slots=True)
class Equal(_BindsValue):
    """Equality with a value, or with the bound value if it begins with `$`; `true` from Slack is not equal to 1."""

    value: Any

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value equals the expected one."""
        wanted = reading.bound(self.value)
        return type(value) is type(wanted) and value == wanted if isinstance(wanted, bool) else value == wanted

    def describe(self, reading: Reading) -> str:
        """Describe the expected value."""
        return repr(reading.bound(self.value))


@dataclass(frozen=True, slots=True)
class Text(_BindsValue):
    """Equality of texts, ignoring width, case, spaces and punctuation."""

    value: str

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the text equals the expected one apart from its form."""
        return isinstance(value, str) and without_punctuation(value) == without_punctuation(
            str(reading.bound(self.value))
        )

    def describe(self, reading: Reading) -> str:
        """Describe the expected text."""
        return f"the text {self.value!r}"


_OF = re.compile(r" ?/ ?| (?:out )?of (?:the |all )?")
_PART_OF = re.compile(r"(?:其中(?:有|的)?|(?:of|among|out of) (?:which|these|those|them),?) ?$")


@dataclass(frozen=True, slots=True)
class NumberIs(_BindsValue):
    """A number, within a tolerance.

    In a text, the number has to occur. If `unit` is given, the text may not state another current number of that unit, except
    the whole that it is part of ("1,150 of 2,000 activations") and a part of it (96 条，其中 19 条).
    """

    value: float | str
    tolerance: float = 0.0
    unit: tuple[str, ...] = ()

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value is the number, within the tolerance."""
        number = numbers.number_of(value)
        return number is not None and self._is(number, reading)

    def in_text(self, text: str, reading: Reading) -> bool:
        """Return whether a normalized text states the number and no other current one of its unit."""
        mentions = list(numbers.numbers(text))
        if not any(self._is(n.value, reading) for n in mentions):
            return False
        units = [re.compile(rf"\s*{re.escape(normalize(u))}") for u in self.unit]
        of_unit = [n for n in mentions if any(unit.match(text, n.end) for unit in units)]
        parts = [(n, of) for n, of in pairwise(mentions) if _OF.fullmatch(text[n.end : of.start])]
        beside = {of.start for n, of in parts if self._is(n.value, reading)}
        beside |= {
            n.start
            for of, n in pairwise(mentions)
            if self._is(of.value, reading) and _PART_OF.search(text[of.end : n.start])
        }
        return all(self._is(n.value, reading) or n.start in beside or dates.is_past(text, n.start) for n in of_unit)

    def _is(self, number: float, reading: Reading) -> bool:
        wanted = numbers.number_of(reading.bound(self.value))
        return wanted is not None and abs(number - wanted) <= self.tolerance + 1e-9

    def describe(self, reading: Reading) -> str:
        """Describe the expected number."""
        return f"the number {reading.bound(self.value)}" + (f" ± {self.tolerance}" if self.tolerance else "")


@dataclass(frozen=True, slots=True)
class Span:
    """A time span that includes both ends; an instant has length zero, and a day covers 24 hours."""

    start: str
    end: str

    def limits(self, reading: Reading) -> tuple[int, int] | None:
        """Return the first and last second of the span; None if a bound name has no value."""
        start, end = _moment(self.start, reading), _moment(self.end, reading)
        if start is None or end is None:
            return None
        return start, end + (86_399 if _is_day(self.end) else 0)


_MOST_SHOWN = 10  # dates and times that a reason lists


@dataclass(frozen=True, slots=True)
class TimeIs:
    """A time within one of the spans, or an interval after another time (`after: $start, by: 90m`).

    Times without a zone are in the world's zone. A text may also mention the times in `beside`: they are true but not required.
    """

    spans: tuple[Span, ...] = ()
    after: str | None = None
    by_s: int = 0
    tolerance_s: int = 0
    beside: tuple[Span, ...] = ()

    def limits(self, reading: Reading) -> list[tuple[int, int]]:
        """Return the accepted spans in epoch seconds, widened by the tolerance."""
        if self.after is not None:
            begun = _moment(self.after, reading)
            spans = [] if begun is None else [(begun + self.by_s, begun + self.by_s)]
        else:
            spans = [limits for span in self.spans if (limits := span.limits(reading)) is not None]
        return [(start - self.tolerance_s, end + self.tolerance_s) for start, end in spans]

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value is a time within one of the spans."""
        moment = reading.moment(value)
        return moment is not None and any(start <= moment <= end for start, end in self.limits(reading))

    def in_text(self, text: str, reading: Reading, required: Sequence[tuple[int, int]] = ()) -> bool:
        """Whether a text states the time as current and no other.

        Exempt are bound times, times in `asked` or `beside`, and those mentioned in passing.
        """
        named, others = self._mentions(text, reading, required)
        return named and not others

    def amiss(self, text: str, reading: Reading, required: Sequence[tuple[int, int]] = ()) -> str:
        """Describe what is missing in a text that omits the time, or that states another one as well."""
        named, others = self._mentions(text, reading, required)
        shown = [format_time(min(m.readings), reading.zone) for m in others[:_MOST_SHOWN]]
        extra = " and ".join(shown + ([f"{more:,} more"] if (more := len(others) - len(shown)) else []))
        return (
            f"{self.describe(reading)} alone (it names {extra} as well)" if named and others else self.describe(reading)
        )

    def _mentions(
        self, text: str, reading: Reading, required: Sequence[tuple[int, int]]
    ) -> tuple[bool, list[dates.DateMention]]:
        wanted = self.limits(reading)
        whole_days = all(end - start >= 86_399 for start, end in wanted)
        current = [m for m in dates.date_mentions(text, reading.zone, reading.now) if not m.past]
        named = any((whole_days or not m.day_only) and _within(m, wanted) for m in current)
        bound = [v for v in reading.binds.values() if isinstance(v, int)]
        beside = [limits for span in self.beside if (limits := span.limits(reading)) is not None]
        known = [*wanted, *required, *beside, *((b, b) for b in bound)]
        others = [m for m in current if not m.aside and not _within(m, wanted) and not _known(m, known, reading.zone)]
        return bool(wanted) and named, others

    def describe(self, reading: Reading) -> str:
        """Describe the expected times."""
        spans = self.limits(reading)
        shown = [
            format_time(a, reading.zone) + ("" if a == b else f" to {format_time(b, reading.zone)}") for a, b in spans
        ]
        return " or ".join(shown) or "a moment that no earlier check has found"

    def bound_value(self, value: Any, reading: Reading) -> Any:
        """Return the time in epoch seconds, so that later checks can relate other times to it."""
        return reading.moment(value)


def _within(mention: dates.DateMention, spans: list[tuple[int, int]]) -> bool:
    return any(start <= reading <= end for reading in mention.readings for start, end in spans)


def _known(mention: dates.DateMention, spans: list[tuple[int, int]], zone: ZoneInfo) -> bool:
    """Whether a further time in a text is one of the known times, or the day of one."""
    if not mention.day_only:
        return _within(mention, spans)
    days = {datetime.fromtimestamp(m, zone).date() for span in spans for m in span}
    return any(datetime.fromtimestamp(reading, zone).date() in days for reading in mention.readings)


def format_time(seconds: int, zone: ZoneInfo) -> str:
    """Format a time as in reasons: `2026-12-01 14:30`."""
    return datetime.fromtimestamp(seconds, zone).strftime("%Y-%m-%d %H:%M")


def _is_day(written: str) -> bool:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", written) is not None


def _moment(written: str, reading: Reading) -> int | None:
    return reading.moment(reading.bound(written))


_LENGTH = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


def seconds_of(length: str) -> int:
    """Convert a duration such as `90m`, `1h30m` or `2d` to seconds.

    Raises:
        ValueError: The text has another form.
    """
    match = _LENGTH.fullmatch(length)
    if match is None or not length:
        raise ValueError(f"{length!r} is not a duration; valid forms are 90m, 1h30m, 2d")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return round(timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds())


@dataclass(frozen=True, slots=True)
class Ref(_BindsValue):
    """The id of a named row or person as the value's app writes it; an object that contains the id matches as well."""

    name: str

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value is or contains an id of the row or person."""
        return not reading.ids(self.name, reading.app).isdisjoint(_ids(value))

    def describe(self, reading: Reading) -> str:
        """Describe the row or person with its ids in this app."""
        return f"{self.name} ({', '.join(sorted(reading.ids(self.name, reading.app))) or 'unknown to ' + reading.app})"


# A type prefix before an id: Reddit refers to a comment as `t1_n4ydtsp` in a reply but as `n4ydtsp` in the comment's own row.
_KIND = re.compile(r"t\d_")


def _ids(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {i for k, v in value.items() if k not in ("tenant_key", "name") for i in _ids(v)}
    if not isinstance(value, str | int) or isinstance(value, bool):
        return set()
    written = str(value)
    return {written, _KIND.sub("", written, count=1)} if _KIND.match(written) else {written}


@dataclass(frozen=True, slots=True)
class Items(_BindsValue):
    """Conditions on a list: `set` has exactly these in any order, `ordered` in this order, `contains` each, `lacks` none."""

    kind: Literal["set", "ordered", "contains", "lacks"]
    matchers: tuple[Matcher, ...]

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the list's items match."""
        if not isinstance(value, list):
            return False
        match self.kind:
            case "contains":
                return all(any(m.fits(item, reading) for item in value) for m in self.matchers)
            case "lacks":
                return not any(m.fits(item, reading) for item in value for m in self.matchers)
            case "ordered":
                pairs = zip(self.matchers, value, strict=False)
                return len(value) == len(self.matchers) and all(m.fits(item, reading) for m, item in pairs)
        if len(value) != len(self.matchers):
            return False
        placed = paired(len(value), len(value), lambda i, j: self.matchers[i].fits(value[j], reading))
        return len(placed) == len(value)

    def describe(self, reading: Reading) -> str:
        """Describe the expected list."""
        items = ", ".join(m.describe(reading) for m in self.matchers)
        words = {"contains": "a list with", "lacks": "a list without", "ordered": "in this order", "set": "exactly"}
        return f"{words[self.kind]} {items}"


@dataclass(frozen=True, slots=True)
class Pattern(_BindsValue):
    """A regular expression that has to match the whole text; a last resort."""

    pattern: str

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the whole text matches the expression."""
        return isinstance(value, str) and re.fullmatch(self.pattern, value, re.DOTALL) is not None

    def describe(self, reading: Reading) -> str:
        """Describe the expected form of the text."""
        return f"a text like {self.pattern}"


@dataclass(frozen=True, slots=True)
class AnyOf(_BindsValue):
    """Any one of several conditions."""

    matchers: tuple[Matcher, ...]

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value meets at least one condition."""
        return any(m.fits(value, reading) for m in self.matchers)

    def describe(self, reading: Reading) -> str:
        """Describe the accepted values."""
        return " or ".join(m.describe(reading) for m in self.matchers)


@dataclass(frozen=True, slots=True)
class Not(_BindsValue):
    """The negation of a condition."""

    matcher: Matcher

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value does not meet the condition."""
        return not self.matcher.fits(value, reading)

    def describe(self, reading: Reading) -> str:
        """Describe the excluded value."""
        return f"not {self.matcher.describe(reading)}"


@dataclass(frozen=True, slots=True)
class Words:
    """A slot of a text: at least one of these phrases, or none of them if `absent` is true."""

    phrases: tuple[str, ...]
    absent: bool = False

    def in_text(self, text: str, reading: Reading) -> bool:
        """Return whether a normalized text states one of the phrases, or contains none of them if `absent`."""
        if self.absent:
            return not any(holds(text, str(reading.bound(p))) for p in self.phrases)
        return any(says(text, str(reading.bound(p))) for p in self.phrases)

    def describe(self, reading: Reading) -> str:
        """Describe the accepted or forbidden phrases."""
        choices = " or ".join(repr(p) for p in self.phrases)
        return f"nothing of {choices}" if self.absent else choices


Slot = Words | TimeIs | NumberIs


@dataclass(frozen=True, slots=True)
class Says(_BindsValue):
    """A text that fills every slot."""

    slots: tuple[Slot, ...]

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the text fills every slot."""
        return isinstance(value, str) and not self.missing(value, reading)

    def missing(self, text: str, reading: Reading) -> list[str]:
        """Describe the slots that a text does not fill."""
        read = normalize(text)
        result: list[str] = []
        for slot in self.slots:
            if not isinstance(slot, TimeIs):
                result += [] if slot.in_text(read, reading) else [slot.describe(reading)]
                continue
            required = [
                span for s in self.slots if isinstance(s, TimeIs) and s is not slot for span in s.limits(reading)
            ]
            if not slot.in_text(read, reading, required):
                result.append(slot.amiss(read, reading, required))
        return result

    def describe(self, reading: Reading) -> str:
        """Describe the content of an expected text."""
        return "a text that says " + ", ".join(slot.describe(reading) for slot in self.slots)


@dataclass(frozen=True, slots=True)
class Bind:
    """A matcher whose value later checks refer to.

    The value is bound even if it does not match, so that one wrong value that is used consistently fails only one check.
    """

    matcher: Matcher
    name: str

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether the value meets the condition of the inner matcher."""
        return self.matcher.fits(value, reading)

    def describe(self, reading: Reading) -> str:
        """Describe a value that meets the inner condition."""
        return self.matcher.describe(reading)

    def bound_value(self, value: Any, reading: Reading) -> Any:
        """Return the part of a value that later checks refer to."""
        return self.matcher.bound_value(value, reading)


@dataclass(frozen=True, slots=True)
class Anything:
    """Accepts any value but None and binds like another matcher; only the lint creates it, to weaken a check."""

    matcher: Matcher

    def fits(self, value: Any, reading: Reading) -> bool:
        """Return whether there is a value."""
        return value is not None

    def describe(self, reading: Reading) -> str:
        """Describe a value that would meet the condition."""
        return "anything"

    def bound_value(self, value: Any, reading: Reading) -> Any:
        """Return the part of a value that `bind` stores."""
        return self.matcher.bound_value(value, reading)


Matcher = Equal | Text | NumberIs | TimeIs | Ref | Items | Pattern | AnyOf | Not | Says | Bind | Anything
"""One condition on a value.

It is a closed union: code that distinguishes matchers by type ends in `assert_never`, so that a new one is a type error in each
place that must handle it. All have the methods `fits`, `describe` and `bound_value`.
"""


def without_bind(matcher: Matcher) -> Matcher:
    """Return the matcher without the name that it binds."""
    return matcher.matcher if isinstance(matcher, Bind) else matcher


def inner_matchers(matcher: Matcher) -> tuple[Matcher, ...]:
    """Return the matchers directly inside a matcher."""
    match matcher:
        case Bind(matcher=inner) | Not(matcher=inner):
            return (inner,)
        case Items(matchers=matchers) | AnyOf(matchers=matchers):
            return matchers
        case Equal() | Text() | NumberIs() | TimeIs() | Ref() | Pattern() | Says() | Anything():
            return ()
    assert_never(matcher)


def reads_text(matcher: Matcher) -> bool:
    """Return whether a matcher concerns texts; for a value that is not a text, it reads the row's own text instead."""
    match matcher:
        case Bind(matcher=inner) | Not(matcher=inner):
            return _is_text_matcher(inner)
        case _:
            return _is_text_matcher(matcher)


def _is_text_matcher(matcher: Matcher) -> bool:
    match matcher:
        case Says() | Text() | Pattern():
            return True
        case AnyOf(matchers=matchers):
            return all(reads_text(m) for m in matchers)
        case Equal() | NumberIs() | TimeIs() | Ref() | Items() | Not() | Bind() | Anything():
            return False
    assert_never(matcher)


DECODED = "decoded"
"""The last step of a path to a base64url text, such as the body of a mail in Gmail."""


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Return a row's value at a path such as `properties.Status.status.name`, or None; member names may contain dots.

    List items are addressed by index. Items of a list of name-value pairs, such as a mail's headers, are also addressed by
    name: `payload.headers.To`. `payload.body.data.decoded` is the decoded base64url text.
    """
    value: Any = row
    parts = path.split(".")
    while parts:
        if isinstance(value, list):
            value, parts = _item_at(value, parts[0]), parts[1:]
            continue
        if isinstance(value, str) and parts == [DECODED]:
            return _decoded(value)
        if not isinstance(value, Mapping):
            return None
        for size in range(len(parts), 0, -1):
            if (key := ".".join(parts[:size])) in value:
                value, parts = value[key], parts[size:]
                break
        else:
            return None
    return value


def _item_at(items: list[Any], step: str) -> Any:
    if step.lstrip("-").isdigit():
        return items[int(step)] if -len(items) <= int(step) < len(items) else None
    named = (i for i in items if isinstance(i, Mapping) and str(i.get("name", "")).casefold() == step.casefold())
    return next((item.get("value") for item in named), None)


def _decoded(data: str) -> str | None:
    try:
        return base64.b64decode(data + "=" * (-len(data) % 4), altchars=b"-_", validate=True).decode()
    except ValueError:
        return None


def judged_value(matcher: Matcher, row: Object, path: str, text: Callable[[Object], str] | None) -> Any:
    """Return the value that a matcher judges: the value at the path, or the row's readable text for text matchers."""
    value = value_at(row, path)
    if reads_text(matcher) and not isinstance(value, str) and text is not None:
        return text(row)
    return value


def exceeds_limit(matcher: Matcher, value: Any) -> bool:
    """Return whether a matcher would have to read a text that is too long to be graded."""
    match matcher:
        case Bind(matcher=inner) | Not(matcher=inner):
            return exceeds_limit(inner, value)
        case AnyOf(matchers=matchers):
            return any(exceeds_limit(m, value) for m in matchers)
        case Items(matchers=matchers):
            return isinstance(value, list) and any(exceeds_limit(m, item) for item in value for m in matchers)
        case Equal() | Ref():
            return False
        case Text() | NumberIs() | TimeIs() | Pattern() | Says() | Anything():
            return isinstance(value, str) and is_too_long(value)
    assert_never(matcher)


def holds_for(matcher: Matcher, value: Any, reading: Reading, *, too_long: bool = False) -> bool:
    """Return whether a condition holds. For a text that is too long to be graded the result is `too_long`, also under `not`."""
    return too_long if exceeds_limit(matcher, value) else matcher.fits(value, reading)


def all_fit(
    where: Mapping[str, Matcher],
    row: Object,
    text: Callable[[Object], str] | None,
    reading: Reading,
    *,
    too_long: bool = False,
) -> bool:
    """Return whether a row fits every matcher, each at its path. `too_long` is the result for texts that are too long."""
    return all(
        holds_for(matcher, judged_value(matcher, row, path, text), reading, too_long=too_long)
        for path, matcher in where.items()
    )
