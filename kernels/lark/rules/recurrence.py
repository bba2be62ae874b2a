"""Occurrences of a recurrence rule within a period.

Days are tried one by one up to the end of the period, so a rule that matches no day at all (30 February) costs no more
than any other.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from soundstage.kernels.lark.rules.recurrence_text import Rule

DAYS_TRIED_LIMIT = 100_000


def occurrences(rule: Rule, start: datetime, since: datetime, before: datetime) -> Iterator[datetime]:
    """Yield the occurrences of a rule from `since` until before `before`, in the zone and at the wall time of `start`.

    All three are aware datetimes; the rule counts from `start`.
    """
    zone = start.tzinfo or UTC
    first, since, before = _wall(start, zone), _wall(since, zone), _wall(before, zone)
    until = None if rule.until is None else _wall(rule.until, zone) if rule.until.tzinfo else rule.until
    rule = _completed(rule, first)
    left = rule.count
    for moment in _times(rule, first, first if left is not None else max(first, since), before):
        if moment >= before or (until is not None and moment > until):
            return
        if moment >= since:
            yield moment.replace(tzinfo=zone)
        if left is not None:
            left -= 1
            if left == 0:
                return


def _times(rule: Rule, first: datetime, since: datetime, before: datetime) -> Iterator[datetime]:
    """Yield every matching time from the day of `since` on, but never before `first`."""
    tried = 0
    times = [time(h, m, s) for h in rule.hours for m in rule.minutes for s in rule.seconds]
    for begin, end in _periods(rule, first.date(), since.date(), before.date()):
        if not rule.positions:
            begin, end = max(begin, since.date()), min(end, before.date())
        days = [begin + timedelta(n) for n in range((end - begin).days + 1)]
        tried += len(days)
        if tried > DAYS_TRIED_LIMIT:
            return
        times_of_period = [datetime.combine(day, at) for day in days if _fits(rule, day) for at in times]
        if rule.positions:
            chosen = {p - 1 if p > 0 else len(times_of_period) + p for p in rule.positions}
            times_of_period = [moment for i, moment in enumerate(times_of_period) if i in chosen]
        yield from (moment for moment in times_of_period if moment >= first)


def _periods(rule: Rule, first: date, since: date, last: date) -> Iterator[tuple[date, date]]:
    """Yield the first and last day of each period of the rule, from that of `since` to that of `last`."""
    match rule.frequency:
        case "DAILY" | "WEEKLY":
            size = 1 if rule.frequency == "DAILY" else 7
            step = size * rule.interval
            origin = first - timedelta((first.weekday() - rule.week_start) % 7 if size == 7 else 0)
            begin = origin + timedelta((since - origin).days // step * step)
            while begin <= last:
                yield begin, begin + timedelta(size - 1)
                begin += timedelta(step)
        case "MONTHLY":
            origin_month, since_month = first.year * 12 + first.month - 1, since.year * 12 + since.month - 1
            month = origin_month + (since_month - origin_month) // rule.interval * rule.interval
            while month <= last.year * 12 + last.month - 1:
                year, number = month // 12, month % 12 + 1
                yield date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1])
                month += rule.interval
        case _:
            year = first.year + (since.year - first.year) // rule.interval * rule.interval
            while year <= last.year:
                yield date(year, 1, 1), date(year, 12, 31)
                year += rule.interval


def _fits(rule: Rule, day: date) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.month_days and not _among(rule.month_days, day.day, calendar.monthrange(day.year, day.month)[1]):
        return False
    if rule.year_days and not _among(rule.year_days, day.timetuple().tm_yday, _year_length(day.year)):
        return False
    if rule.week_numbers and not _among(rule.week_numbers, *_week_number(day, rule.week_start)):
        return False
    return not rule.weekdays or any(_is_weekday(rule, day, number, weekday) for number, weekday in rule.weekdays)


def _is_weekday(rule: Rule, day: date, number: int, weekday: int) -> bool:
    """Return whether a day is the `number`-th (0: any) of its weekday in the month, or in the year of a yearly rule."""
    if day.weekday() != weekday or number == 0:
        return day.weekday() == weekday
    if rule.frequency == "YEARLY" and not rule.months:
        place, size = day.timetuple().tm_yday, _year_length(day.year)
    else:
        place, size = day.day, calendar.monthrange(day.year, day.month)[1]
    return number == ((place - 1) // 7 + 1 if number > 0 else -((size - place) // 7 + 1))


def _week_number(day: date, week_start: int) -> tuple[int, int]:
    """Return the number of a day's week, and the number of weeks in that week's year.

    A week belongs to the year of its fourth day.
    """
    fourth = day - timedelta((day.weekday() - week_start) % 7) + timedelta(3)
    place = fourth.timetuple().tm_yday
    first = (place - 1) % 7 + 1
    return (place - 1) // 7 + 1, (_year_length(fourth.year) - first) // 7 + 1


def _among(wanted: tuple[int, ...], place: int, size: int) -> bool:
    return place in wanted or place - size - 1 in wanted


def _completed(rule: Rule, first: datetime) -> Rule:
    """Fill the open parts of a rule from its start."""
    chosen = rule.week_numbers or rule.year_days or rule.month_days or rule.weekdays
    if not chosen and rule.frequency == "WEEKLY":
        rule = replace(rule, weekdays=((0, first.weekday()),))
    elif not chosen and rule.frequency != "DAILY":
        yearly = rule.frequency == "YEARLY"
        rule = replace(rule, month_days=(first.day,), months=rule.months or ((first.month,) if yearly else ()))
    return replace(
        rule,
        hours=rule.hours or (first.hour,),
        minutes=rule.minutes or (first.minute,),
        seconds=rule.seconds or (first.second,),
    )


def _year_length(year: int) -> int:
    return 366 if calendar.isleap(year) else 365


def _wall(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)
