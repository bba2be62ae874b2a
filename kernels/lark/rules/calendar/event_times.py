"""Times of events: validation of `start_time` and `end_time`, and the time spans of an event.

A timed event has timestamps in seconds and a time zone. An all-day event has dates, including the last day
(https://github.com/larksuite/cli, skills/lark-calendar), and no zone: it covers the day in every zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar import refusals
from soundstage.kernels.lark.rules.recurrence import occurrences
from soundstage.kernels.lark.rules.recurrence_text import parse
from soundstage.kernels.lark.rules.zones import DEFAULT_ZONE

Span = tuple[datetime, datetime]

TIMESTAMP_LIMIT = 16725225600  # 2500-01-01
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = _EPOCH + timedelta(seconds=TIMESTAMP_LIMIT)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# Names in lower case (localtime, posix/…) are files of the machine, not of the time zone database.
_ZONE = re.compile(r"[A-Z][\w+-]*(/[\w+-]+)*", re.ASCII)


def validate(start: Object, end: Object) -> tuple[Object, Object]:
    """Return `start_time` and `end_time` in their stored form.

    Raises:
        LarkError: 190014.
    """
    start, end = _checked_time("start_time", start), _checked_time("end_time", end)
    if ("date" in start) != ("date" in end):
        raise refusals.bad_value("start_time and end_time should both be date or both be timestamp")
    first, last = moment_of(start, UTC), moment_of(end, UTC)
    if first is None or last is None or last < first or (last == first and "date" not in start):
        raise refusals.bad_value("end_time should be later than start_time")
    return start, end


def moment_of(at: Object | None, zone: tzinfo) -> datetime | None:
    """Return the time of a stored value, with a date as midnight in `zone`, or None if it is invalid."""
    at = at or {}
    if at.get("date"):
        day = _day(at["date"])
        return None if day is None else datetime.combine(day, time.min, zone)
    seconds = _seconds(at.get("timestamp"))
    return None if seconds is None else _EPOCH + timedelta(seconds=seconds)


def rfc3339(field: str, text: str) -> datetime:
    """Parse an RFC 3339 date-time with its offset.

    Raises:
        LarkError: 190014.
    """
    try:
        if _MOMENT.fullmatch(text):
            return datetime.fromisoformat(text.upper())
    except ValueError:
        pass
    raise refusals.wrong_data_type(field, text)


def start_seconds(start: Object) -> int:
    """Return the start of an event as a timestamp in seconds."""
    moment = moment_of(start, UTC)
    return 0 if moment is None else to_s(moment)


def minutes_long(start: Object | None, end: Object | None) -> float:
    """Return the duration of an event in minutes."""
    first, last = moment_of(start, UTC), moment_of(end, UTC)
    if first is None or last is None or end is None:
        return 0
    return (last - first + timedelta(days=1 if "date" in end else 0)) / timedelta(minutes=1)


def spans(event: Object, since: datetime, before: datetime, replaced: frozenset[int] = frozenset()) -> Iterator[Span]:
    """Yield the time spans of an event that overlap a period, including each instance of a recurring event.

    Args:
        event: The event, as stored.
        since: Start of the period; its zone applies to all-day events.
        before: End of the period.
        replaced: The original starts (timestamps in seconds) of instances that exceptions replace.
    """
    zone = since.tzinfo or UTC
    start, end = moment_of(event.get("start_time"), zone), moment_of(event.get("end_time"), zone)
    if start is None or end is None:
        return
    if (event.get("end_time") or {}).get("date"):
        end += timedelta(days=1)
    length = end - start
    for begin in _begins(event, start, max(since, _EPOCH) - length, before):
        if begin < before and begin + length > since and to_s(begin) not in replaced:
            yield begin, begin + length


def _begins(event: Object, start: datetime, since: datetime, before: datetime) -> Iterator[datetime]:
    if not event.get("recurrence"):
        return iter([start])
    try:
        rule = parse(event["recurrence"])
    except ValueError:
        return iter([start])
    at: Object = event["start_time"]
    zone = start.tzinfo if at.get("date") else (_zone(at.get("timezone", DEFAULT_ZONE)) or UTC)
    margin = timedelta(days=1)  # the rule counts wall time, which may jump
    return occurrences(rule, start.astimezone(zone), max(since - margin, _EPOCH), min(before, _LAST) + margin)


def _checked_time(name: str, sent: Object) -> Object:
    if sent.get("date") and sent.get("timestamp"):
        raise refusals.bad_value(f"{name}.date and {name}.timestamp cannot be set at the same time")
    if sent.get("date"):
        if moment_of({"date": sent["date"]}, UTC) is None:
            raise refusals.wrong_data_type(f"{name}.date", sent["date"])
        return {"date": sent["date"], "timezone": "UTC"}
    if not sent.get("timestamp"):
        raise refusals.bad_value(f"{name}.date or {name}.timestamp is required")
    if not _WHOLE.fullmatch(sent["timestamp"]):
        raise refusals.wrong_data_type(f"{name}.timestamp", sent["timestamp"])
    seconds = _seconds(sent["timestamp"])
    if seconds is None:
        raise refusals.bad_value(f"{name}.timestamp should be between 1 and {TIMESTAMP_LIMIT}")
    zone = sent.get("timezone") or DEFAULT_ZONE
    if _zone(zone) is None:
        raise refusals.bad_value(f"{name}.timezone({zone}) is not a time zone of the IANA database")
    return {"timestamp": str(seconds), "timezone": zone}


def _seconds(value: object) -> int | None:
    if not isinstance(value, str) or not _WHOLE.fullmatch(value) or not 1 <= int(value) <= TIMESTAMP_LIMIT:
        return None
    return int(value)


def _day(value: object) -> date | None:
    try:
        day = date.fromisoformat(value) if isinstance(value, str) and _DATE.fullmatch(value) else None
    except ValueError:
        return None
    return day if day is not None and _EPOCH.year <= day.year < _LAST.year else None


@lru_cache(maxsize=1024)
def _zone(name: object) -> ZoneInfo | None:
    if not isinstance(name, str) or not _ZONE.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None
