"""Find dates and clock times in English and Chinese text and decide which of them are current.

A clock time belongs to the nearest day before it, or after it if the text starts with the time. A time that follows a word of
the past ("from", "was", "not", "instead of", 从, 原, 不是) is marked as past: it no longer holds. A time that gives a reason
("closed on", "overdue since", 放假) or is yesterday is marked as an aside: it may match the expected time and contradicts none. A
weekday or a day of the month alone is resolved relative to the session's present; if several readings are usual ("next
Tuesday"), all are returned.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import accumulate
from zoneinfo import ZoneInfo

from soundstage.grading.texts.cities import zone_beside

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = "(?:" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "may" else "may" for m in [*_MONTHS, "sept"]) + r")\.?"
_WEEKDAY = "(?:" + "|".join(f"{d[:3]}(?:{d[3:]})?" for d in _WEEKDAYS) + r"|tues|wednes|thur|thurs)"
_ZH_DAY = "一二三四五六日天末"
_YESTERDAY = ("yesterday", "last night", "昨天", "昨晚")
_ZH_HOUR = "[零〇一二两三四五六七八九十]{1,3}"

_DAY = re.compile(
    r"(?P<iso>(?<!\d)(?P<iy>\d{4})[-/.年](?P<im>\d{1,2})[-/.月](?P<id>\d{1,2})(?!\d)[日号]?)"
    r"|(?<![a-z\d:.])(?P<d0>\d{1,2})(?:st|nd|rd|th)?(?= ?(?:-|and|to|&) ?(?:the )?"
    rf"(?:{_WEEKDAY},? (?:the )?)?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? "
    rf"(?P<m0>{_MONTH})(?:,? (?P<y0>(?:19|20)\d{{2}}))?(?![a-z\d]))"
    rf"|(?<![a-z\d])(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})(?:,? (?P<y1>(?:19|20)\d{{2}}))?(?![a-z\d])"
    rf"|(?<![a-z])(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:-(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?)?"
    r"(?:,? (?P<y2>(?:19|20)\d{2}))?(?![a-z\d:])"
    r"|(?P<zm>(?<!\d)\d{1,2}|[一二三四五六七八九十]{1,2}) ?月 ?"
    r"(?P<zd>\d{1,2}|[一二三四五六七八九十]{1,3}(?= ?[日号]|[^\u4e00-\u9fff]|$))(?: ?[日号])?"
    r"|(?<![\d.])(?P<pm>1[0-2]|[1-9])\.(?P<pd>[12]\d|3[01]|0?[1-9])"  # 11.27 周五: before a weekday or a clock time, a date
    rf"(?= ?[(,)]? ?(?:(?:周|星期|礼拜)[{_ZH_DAY}]|(?:凌晨|早上|上午|中午|下午|傍晚|晚上)|\d{{1,2}}[:点]))"
    r"|(?<![\d月])(?<!月 )(?P<zonly>\d{1,2}) ?[日号](?!楼|线|店|机)"
    rf"|(?<![a-z])the (?P<ord>\d{{1,2}})(?:st|nd|rd|th)(?![a-z]| (?:of )?{_MONTH}(?![a-z]))"
    rf"|(?<![a-z])(?P<next>next |this )?(?P<wd>{_WEEKDAY})(?![a-z])"
    rf"|(?P<zweek>下下|下|这|本)?个?(?:周|星期|礼拜)(?P<zwd>[{_ZH_DAY}])"
    r"|(?<![a-z])(?P<rel>the day after tomorrow|today|tomorrow|tonight|yesterday|last night)(?![a-z])"
    r"|(?P<zrel>大后天|后天|明天|今天|今早|今晚|昨天|昨晚|明早|明晚)"
)
_PART = r"(?P<part>(?:凌晨|早上|上午|(?<![昨今明])早|中午|下午|傍晚|晚上|(?<![昨今明])晚)\s?)?"
_LATE = ("下午", "傍晚", "晚上", "晚")
_PARTS = {"早": "早上", "morning": "早上", "afternoon": "下午", "晚": "晚上", "evening": "晚上", "tonight": "晚上"}
_PART_AFTER = re.compile(r",? ?in the (?P<part>morning|afternoon|evening)(?![a-z])")
_PART_BEFORE = re.compile(
    r"[昨今明](?P<zh>[早晚])上? ?$|(?<![a-z])(?P<part>morning|afternoon|evening|tonight),? ?(?:at |from |by |[(] ?)?$"
)
_LONGEST_PART = 20  # characters: "afternoon, from "
_AM_PM = r"a\.?m\.?|p\.?m\.?"
_OFFSET = (
    r"(?P<off>z|\+\d{2}:?\d{2}|(?(s)-\d{2}:\d{2}|(?!))| ?utc| ?gmt)?"  # 14:30-16:00 is a span, 14:30:00-05:00 a zone
)
_DIGITAL = (
    r"(?<![\d.])(?<!\d:)(?P<h>\d{1,2})(?P<sep>[:.h])(?P<m>\d{2})(?P<s>:\d{2}(?:\.\d++)?)?"
    rf"\s?(?P<ap>{_AM_PM})?{_OFFSET}(?![\d.%]*\d)"
)
_FULL_HOUR = (
    r"(?<![\d.])(?<!\d:)(?P<h2>\d{1,2})"
    rf"(?:\s?(?P<ap2>{_AM_PM})(?![a-z])|(?= in the (?:morning|afternoon|evening)(?![a-z])))"
)
_CHINESE = (
    # 六点二五个小时 and 百分之十点五 are numbers, 有 3 点要说 are three of something.
    rf"(?<![\d.])(?<!之)(?<!分之[一-九])(?!{_ZH_HOUR}点[零一二三四五六七八九]+ ?(?:个|小时|度|倍|米|公里|公斤|元|万|吨))"
    rf"(?P<zh>\d{{1,2}} ?|{_ZH_HOUR})(?:点|时)(?!间|候|钟后| ?(?:要|需|建议|说明|注意|问题|原因|意见|补充|提醒))"
    rf"(?:(?P<zhalf>半)|(?P<zquarter>[一三])刻|(?P<zmin> ?\d{{1,2}} ?(?=分)|\d{{1,2}}|{_ZH_HOUR})分?)?(?:钟|整)?"
)
_SPOKEN = (
    r"(?P<half>(?<![a-z])(?:half past|a quarter past|quarter past|a quarter to|quarter to)) "
    r"(?P<hword>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![a-z\d:])"
    r"|(?<![a-z\d])(?P<oclock>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) ?o'clock(?![a-z])"
    r"|(?<![a-z])at (?P<bare>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?= ?(?:$|[,.;:!?)\n]| (?:sharp|works|on|in the|is|this|today|tonight|tomorrow|then)(?![a-z])))"
)
_TIME = re.compile(
    rf"{_PART}(?:{_DIGITAL}|{_FULL_HOUR}|{_CHINESE}|(?<![a-z])(?P<noon>noon|midday|midnight)(?![a-z]))|{_SPOKEN}"
)
_HOURS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_PAST = re.compile(
    r"(?<![a-z])(?:from|was|were|not(?! (?:forget|later|miss|only|yet|after|before))|isn't|instead of|rather than|no longer|"
    r"originally|previously|formerly|moved off|can't|cannot|couldn't|doesn't|didn't|won't|used to|old)(?![a-z])|"
    r"从|(?:原定|原来|原先|原|本来|之前)是?|不是|而不是|不再是|不再|取消|不行|没空|来不了"
)
_SINCE = frozenset({"from", "从"})
_TENSE = frozenset({"was", "were"})
_MOVED = re.compile(
    r"(?<![a-z])(?:mov|shift|postpon|chang|reschedul|bring|brought|push|put|swap|switch)|改|挪|移|推迟|提前|换|延"
)
_AFTERWARDS = re.compile(
    r"(?<![a-z])(?:can't|cannot|doesn't|does not|won't|no longer|is off|falls through)(?![a-z])|不行|没空|来不了|取消|作废"
)
_ASIDE = re.compile(
    r"(?<![a-z])(?:since|overdue|(?:closed|shut|holiday)(?: on)?)(?: (?:the|last|early|about|around))*[ (]*$|自从?[ (]*$"
)
_ASIDE_AFTER = re.compile(
    r"(?<![a-z])(?:closed|shut|(?:is|was) (?:a |an |the |public |bank |company )*(?:holiday|day off))(?![a-z])|"
    r"放假|关门|休息|不上班|不开门|过期|逾期"
)
_NOW = re.compile(
    r"(?<![a-z])(?:to|now|but|is|will be|becomes|instead|new)(?![a-z])|到|改为|改成|换成|现在|而是|是|→|->"
)
_RANGE = re.compile(r"^[\s,]*(?:-|to|until|till|and|~|至|到|—|–)[\s]*$")
_TOGETHER = re.compile(r" ?(?:-|and|&|、|和|及) ?(?:the )?")
_LISTED = re.compile(r" ?(?:-|~|–|—|and|to|&|、|和|及|与|至|到) ?(?:the )?")
_DEADLINE = re.compile(r" ?(?:之前|以前)")  # after a time: a deadline
_BESIDE = re.compile(r"[\s,，(（]*(?:the )?[\s)）]*")
_CLAUSE = re.compile(r"[.;!?。；！？\n]")
_AT_ONCE = re.compile(r"[\s,(]*(?:on |of |this )?(?:the )?[(]?")  # between a clock time and the day that follows it
_AT = re.compile(r"[\s,]*(?:at |um )?")
_DAY_LONG = timedelta(days=1)
_REACH = 400
"""Maximum distance in characters of words that qualify a date or a number; it limits the work to linear time."""


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date or time mentioned in a text.

    Attributes:
        readings: Possible meanings in epoch seconds; the start of the day if no clock time is given.
        day_only: The mention has no clock time.
        past: The time no longer holds.
        aside: The time gives a reason, or is yesterday.
    """

    readings: frozenset[int]
    day_only: bool
    past: bool
    aside: bool
    start: int
    end: int

    def means(self, moment: int, tolerance_s: int = 0) -> bool:
        """Whether one of the readings equals a time, within the tolerance."""
        return any(abs(reading - moment) <= tolerance_s for reading in self.readings)


@dataclass(frozen=True, slots=True)
class _Day:
    days: frozenset[date]
    start: int
    end: int
    weekday: int | None = None  # of a mention without further information
    number: int | None = None  # the day of the month, of a mention without further information
    gone: bool = False  # yesterday


@dataclass(frozen=True, slots=True)
class _Clock:
    times: frozenset[time]
    zone: tzinfo | None
    start: int
    end: int


def date_mentions(text: str, zone: ZoneInfo, now: int) -> list[DateMention]:
    """Return the dates and times of a plain text in order; days are resolved relative to `now` (epoch seconds)."""
    present = datetime.fromtimestamp(now, zone)
    days = _merged(text, list(_days(text, present.date())))
    starts = [d.start for d in days]
    clocks = _outside(list(_clocks(text)), days, starts)
    parts: list[tuple[_Day, _Clock | None]] = []
    with_time: set[int] = set()
    for clock in clocks:
        day = _day_of(text, clock, days, starts)
        if day is not None:
            parts.append((day, clock))
            with_time.add(day.start)
    parts += [(day, None) for day in days if day.start not in with_time]
    parts.sort(key=lambda pair: (pair[1] or pair[0]).start)
    result: list[DateMention] = []
    mentioned: set[int] = set()  # the starts of the days in use
    for i, (day, at) in enumerate(parts):
        begins = min(day.start, at.start) if at is not None and day.start not in mentioned else (at or day).start
        mentioned.add(day.start)
        since = result[-1].end if result else 0
        if result and (deadline := _DEADLINE.match(text, since, max(since, begins))):
            since = deadline.end()
        before = text[max(since, begins - _REACH) : begins]
        ends = max(day.end, at.end) if at is not None else day.end
        following = bisect_right(starts, ends)
        after = text[ends : min(ends + _REACH, starts[following] if following < len(starts) else len(text))]
        stays = _stays(before, _ends_of(text, begins, ends), after, i + 1 == len(parts))
        harmless: set[str] = set()
        if stays or _opens_range(text, parts, i):
            harmless |= _SINCE
        if stays and all(d <= present.date() for d in day.days):
            harmless |= _TENSE
        result.append(
            DateMention(
                readings=frozenset(_seconds(d, t, at, zone) for d in day.days for t in (at.times if at else (time(),))),
                day_only=at is None,
                past=_is_past(before, after, harmless) or _beside_past(result, before),
                aside=day.gone or _is_aside(before, after),
                start=begins,
                end=ends if at is None or at.end > day.end else max(at.end, day.end),
            )
        )
    return result


def _beside_past(mentions: list[DateMention], between: str) -> bool:
    """Whether a time directly continues one that is past, as in "from 1-2 December"."""
    return bool(mentions) and mentions[-1].past and _TOGETHER.fullmatch(between) is not None


def clock_times(text: str) -> set[time]:
    """Return the clock times of a plain text regardless of their day; an ambiguous one yields both morning and evening."""
    return {at for clock in _clocks(text) for at in clock.times}


def days_of(text: str, today: date) -> set[date]:
    """Return the days that a plain text names, resolved relative to `today`."""
    return {day for mention in _days(text, today) for day in mention.days}


def _outside(clocks: Sequence[_Clock], days: Sequence[_Day], starts: Sequence[int]) -> list[_Clock]:
    """Return the clock times that overlap no mention of a day. `starts` are the starts of the days, in order."""
    reached = list(accumulate((d.end for d in days), max))
    outside: list[_Clock] = []
    for clock in clocks:
        earlier = bisect_left(starts, clock.end)
        if not earlier or reached[earlier - 1] <= clock.start:
            outside.append(clock)
    return outside


def _ends_of(text: str, begins: int, ends: int) -> str:
    """Return this part of a text; of a long one, its beginning and its end."""
    if ends - begins <= 2 * _REACH:
        return text[begins:ends]
    return f"{text[begins : begins + _REACH]} {text[ends - _REACH : ends]}"


def _opens_range(text: str, parts: list[tuple[_Day, _Clock | None]], i: int) -> bool:
    """Whether "from" opens a span within one day, as in "from 14:30 to 16:00"; it is then not a word of the past."""
    if i + 1 >= len(parts):
        return False
    (day, at), (other, until) = parts[i], parts[i + 1]
    if at is None or until is None or other.start != day.start:
        return False
    return _RANGE.match(text[at.end : until.start]) is not None


def _stays(before: str, written: str, after: str, last: bool) -> bool:
    """Whether nothing replaces a time within its sentence: nothing is moved, and no other time follows.

    In that case "from" states a beginning, as in "yours from 1 December", and "was" before a day in the past states when
    something happened.
    """
    around = " ".join((_CLAUSE.split(before)[-1], written, _CLAUSE.split(after)[0]))
    return (last or _CLAUSE.search(after) is not None) and _MOVED.search(around) is None


def is_past(text: str, start: int) -> bool:
    """Return whether the text before `start` ends in a clause about the past."""
    return _is_past(text[max(0, start - _REACH) : start], "")


def _is_past(before: str, after: str, harmless: Set[str] = frozenset()) -> bool:
    """Whether words of the past, other than the `harmless` ones, precede or follow a time."""
    clause = _CLAUSE.split(before)[-1]
    marks = [(m.end(), m.group()) for m in _PAST.finditer(clause) if m.group() not in harmless]
    if marks and not any(m.start() >= marks[-1][0] for m in _NOW.finditer(clause)):
        return True
    following = re.split(r"[,，.;!?。；！？\n]", after)[0]
    return _AFTERWARDS.search(following) is not None


def _is_aside(before: str, after: str) -> bool:
    following = re.split(r"[,，.;!?。；！？\n]", after)[0]
    return _ASIDE.search(_CLAUSE.split(before)[-1]) is not None or _ASIDE_AFTER.search(following) is not None


def _day_of(text: str, clock: _Clock, days: Sequence[_Day], starts: Sequence[int]) -> _Day | None:
    """Return the nearest day before a clock time, or the next day if none precedes it or it follows at once (14:30 on 1 May).

    No day overlaps the clock time; `starts` are the starts of the days, in order.
    """
    place = bisect_left(starts, clock.end)
    before = days[place - 1] if place else None
    after = days[place] if place < len(days) else None
    if after is not None and _AT_ONCE.fullmatch(text, clock.end, after.start):
        if before is None:
            return after
        distant = clock.start - before.end > 3 or _CLAUSE.search(text, before.end, clock.start)
        if distant and not _AT.fullmatch(text, before.end, clock.start):
            return after
    return before or after


def _days(text: str, today: date) -> Iterator[_Day]:
    last: _Day | None = None
    for match in _DAY.finditer(text):
        days = _readings(match, today)
        number = match["zonly"] or match["ord"]
        if number and last is not None and last.weekday is None and _LISTED.fullmatch(text, last.end, match.start()):
            days = [d for day in last.days for d in _day_of_month(int(number), day)]  # 1月10、11日
        if days:
            weekday = days[0].weekday() if match["wd"] or match["zwd"] else None
            end = match.end("d2") if match["d3"] else match.end()
            gone = (match["rel"] or match["zrel"]) in _YESTERDAY
            last = _Day(frozenset(days), match.start(), end, weekday, int(number) if number else None, gone)
            yield last
        if match["d3"]:  # December 10-11
            until = frozenset(d.replace(day=int(match["d3"])) for d in days if _has(d, match["d3"]))
            last = _Day(until or frozenset(days), *match.span("d3"))
            yield last


def _has(day: date, number: str) -> bool:
    """Whether the day's month has a later day of this number."""
    return day.day < int(number) <= monthrange(day.year, day.month)[1]


def _merged(text: str, days: list[_Day]) -> list[_Day]:
    """Merge a date and an adjacent weekday, and lists of equal length, into one mention unless they contradict each other."""
    merged: list[_Day] = []
    for day in days:
        last = merged[-1] if merged else None
        if last is not None and _BESIDE.fullmatch(text[last.end : day.start]) and (one := _agreed(last, day)):
            merged[-1] = _Day(one, last.start, day.end, gone=last.gone or day.gone)
        else:
            merged.append(day)
    return _lists_merged(text, merged)


def _lists_merged(text: str, days: list[_Day]) -> list[_Day]:
    """Merge a list of dates with an agreeing list of weekdays: 10 and 11 December (Thursday and Friday)."""
    lists: list[list[_Day]] = []
    for day in days:
        last = lists[-1] if lists else None
        alike = last is not None and (last[0].weekday is None) == (day.weekday is None)
        if last is not None and alike and _LISTED.fullmatch(text[last[-1].end : day.start]):
            last.append(day)
        else:
            lists.append([day])
    merged: list[list[_Day]] = []
    for run in lists:
        if merged and (dated := _dated(text, merged[-1], run)):
            merged[-1] = dated
        else:
            merged.append(run)
    return [day for run in merged for day in run]


def _dated(text: str, one: list[_Day], other: list[_Day]) -> list[_Day]:
    """Return the dates of adjacent, agreeing lists of dates and weekdays; an empty list if they do not agree."""
    dates, weekdays = (one, other) if one[0].weekday is None else (other, one)
    if len(one) != len(other) or dates[0].weekday is not None or weekdays[0].weekday is None:
        return []
    if not _BESIDE.fullmatch(text[one[-1].end : other[0].start]):
        return []
    agreed = [_Day(_agreed(d, w), d.start, d.end) for d, w in zip(dates, weekdays, strict=True)]
    return agreed if all(each.days for each in agreed) else []


def _agreed(one: _Day, other: _Day) -> frozenset[date]:
    """Return the days that two mentions can both mean."""
    for weekday, dated in ((one.weekday, other), (other.weekday, one)):
        if weekday is not None and dated.weekday is None:
            return frozenset(d for d in dated.days if d.weekday() == weekday)
    for number, dated in ((one.number, other), (other.number, one)):
        if number is not None and dated.number is None:
            return frozenset(d for d in dated.days if d.day == number)
    return one.days & other.days


def _readings(match: re.Match[str], today: date) -> list[date]:
    given = match.groupdict()
    if given["iso"]:
        return _dates(int(given["iy"]), int(given["im"]), int(given["id"]))
    for d, m, y in (("d0", "m0", "y0"), ("d1", "m1", "y1"), ("d2", "m2", "y2")):
        if given[d]:
            month = next(n for n, name in enumerate(_MONTHS, start=1) if name.startswith(given[m][:3]))
            return _dates(int(given[y]), month, int(given[d])) if given[y] else _near(month, int(given[d]), today)
    if given["pm"]:
        return _near(int(given["pm"]), int(given["pd"]), today)
    if given["zm"]:
        return _near(_zh_number(given["zm"]), _zh_number(given["zd"]), today)
    if given["zonly"] or given["ord"]:
        return _day_of_month(int(given["zonly"] or given["ord"]), today)
    if given["wd"]:
        weekday = next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(given["wd"][:3]))
        return _weekday(weekday, today, both=given["next"] == "next ")
    if given["zwd"]:
        weekday = min("一二三四五六日".find(given["zwd"].replace("天", "日").replace("末", "六")), 6)
        monday = today - timedelta(days=today.weekday())
        weeks = {"下": 1, "下下": 2, "这": 0, "本": 0}.get(given["zweek"] or "")
        if weeks is not None:
            return [monday + timedelta(days=weekday, weeks=weeks)]
        return _weekday(weekday, today, both=False)
    relative = given["rel"] or given["zrel"]
    ahead = dict.fromkeys(_YESTERDAY, -1) | {"tomorrow": 1, "明天": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3}
    return [today + timedelta(days=2 if relative.startswith("the day") else ahead.get(relative, 0))]


def _dates(year: int, month: int, day: int) -> list[date]:
    try:
        # The first and the last year are out of range in some zones.
        return [date(year, month, day)] if MINYEAR < year < MAXYEAR else []
    except ValueError:
        return []


def _near(month: int, day: int, today: date) -> list[date]:
    """Resolve a day and month without a year to the date nearest to the present."""
    years = [d for year in (today.year - 1, today.year, today.year + 1) for d in _dates(year, month, day)]
    return [min(years, key=lambda d: abs(d - today))] if years else []


def _day_of_month(day: int, today: date) -> list[date]:
    month, year = today.month, today.year
    if day < today.day:
        month, year = (1, year + 1) if month == 12 else (month + 1, year)
    return _dates(year, month, day)


def _weekday(weekday: int, today: date, *, both: bool) -> list[date]:
    first = today + timedelta(days=(weekday - today.weekday()) % 7)
    return [first, first + timedelta(days=7)] if both or first == today else [first]


def _clocks(text: str) -> Iterator[_Clock]:
    for match in _TIME.finditer(text):
        times = _times(match.groupdict() | {"part": match["part"] or _part_beside(text, *match.span())})
        if times:
            yield _Clock(frozenset(times), _zone(text, match), *match.span())


def _part_beside(text: str, start: int, end: int) -> str:
    """Return the part of the day stated next to a clock time: 昨晚十点, "7:30 in the evening", "tonight at seven"."""
    after = _PART_AFTER.match(text, end)
    before = _PART_BEFORE.search(text[max(0, start - _LONGEST_PART) : start])
    part = after["part"] if after else before[before.lastgroup or "part"] if before else ""
    return _PARTS.get(part, "")


def _times(given: dict[str, str | None]) -> list[time]:
    part = (given["part"] or "").strip()
    if given["noon"]:
        return [time(0, 0)] if given["noon"] == "midnight" else [time(12, 0)]
    if given["h"]:
        if given["sep"] == "." and not given["ap"] and len(given["h"]) < 2:
            return []  # 2.30 is a number unless followed by am or pm
        return _clock(int(given["h"]), int(given["m"] or 0), given["ap"], part, given["h"].startswith("0"))
    if given["h2"]:
        return _clock(int(given["h2"]), 0, given["ap2"], part, False)
    if given["zh"]:
        minute = 30 if given["zhalf"] else {"一": 15, "三": 45}.get(given["zquarter"] or "", 0)
        if given["zmin"]:
            minute = _zh_number(given["zmin"].strip())
        return _clock(_zh_number(given["zh"].strip()), minute, None, part, False)
    hour_text = given["hword"] or given["oclock"] or given["bare"] or ""
    hour = int(hour_text) if hour_text.isdigit() else _HOURS.index(hour_text)
    shifts = {"half past": 30, "quarter past": 15, "a quarter past": 15, "quarter to": -15, "a quarter to": -15}
    shift = shifts.get(given["half"] or "", 0)
    read = [t for h in (hour, hour + 12) for t in _clock((h * 60 + shift) // 60 % 24, shift % 60, None, "", True)]
    return [t for t in read if not part or (t.hour >= 12) == (part in _LATE)] or read


def _clock(hour: int, minute: int, half: str | None, part: str, exact: bool) -> list[time]:
    """Return the readings of a clock time; both morning and evening if an hour up to twelve leaves it open."""
    if hour > 24 or minute > 59:
        return []
    hour %= 24
    half = (half or "").replace(".", "")
    if half:
        return [time(hour % 12 + (12 if half == "pm" else 0), minute)]
    if part in _LATE or (part == "中午" and hour < 10):
        return [time(hour + 12 if hour < 12 else hour, minute)]
    if part or exact or not 1 <= hour < 12:
        return [time(hour, minute)]
    return [time(hour, minute), time(hour + 12, minute)]


def _zone(text: str, clock: re.Match[str]) -> tzinfo | None:
    """Return the zone that a clock time states itself, by an offset or by a city next to it."""
    written = clock["off"]
    if written is not None:
        if written.strip() in ("z", "utc", "gmt"):
            return UTC
        digits = written.replace(":", "")
        offset = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
        return timezone(-offset if digits[0] == "-" else offset) if offset < _DAY_LONG else None
    return zone_beside(text, *clock.span())


def _seconds(day: date, at: time, clock: _Clock | None, zone: ZoneInfo) -> int:
    own_zone = clock.zone if clock is not None and clock.zone is not None else zone
    return round(datetime.combine(day, at, own_zone).timestamp())


def _zh_number(written: str) -> int:
    if written.isdigit():
        return int(written)
    tens, _, ones = written.rpartition("十")
    digits = "零一二三四五六七八九"
    if "十" not in written:
        return int("".join(str(digits.find(c.replace("〇", "零").replace("两", "二"))) for c in written))
    return (digits.find(tens) if tens else 1) * 10 + (digits.find(ones) if ones else 0)
