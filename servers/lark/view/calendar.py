"""A week of a calendar, with each instance of recurring events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import islice
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar import busy_events, event_times
from soundstage.servers.lark.view.people import names, zone
from soundstage.servers.view import Query, View

FIRST_HOUR, LAST_HOUR = 7, 22
_MOST_LANES = 4
_MOST_INSTANCES = 100


@dataclass(slots=True)
class Slot:
    """An event on a day: rows are half hours from `FIRST_HOUR`, lanes divide a row among overlapping events."""

    event: Object
    begins: str
    ends: str
    row: int
    rows: int
    lane: int = 1
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the week: its timed and all-day events."""

    day: date
    slots: list[Slot]
    whole: list[Object]
    is_today: bool


def place(context: AppContext, event: Object) -> Query:
    """Return the calendar and week of an event, or the first week of a recurring one."""
    query = {"page": "calendar", "calendar": str(event.get("organizer_calendar_id"))}
    start = event.get("start_time") if isinstance(event.get("start_time"), dict) else {}
    stamp = str((start or {}).get("timestamp") or "")
    day = (start or {}).get("date")
    if stamp.isdigit() and len(stamp) < 12:
        day = datetime.fromtimestamp(int(stamp), zone(context)).date().isoformat()
    return {**query, "week": str(day)} if day else query


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render a week of a calendar."""
    at, people = zone(context), names(context)
    calendars = [c for c in context.list("calendar", limit=300) if not c.get("is_deleted")]
    chosen = _chosen(context, calendars, query.get("calendar", ""))
    today = now.astimezone(at).date()
    monday = _monday(query.get("week", ""), today)
    events = [] if chosen is None else _events(context, chosen)
    days = [_day(context, events, monday + timedelta(days=i), at, today) for i in range(7)]
    data: dict[str, Any] = {
        "calendars": sorted(calendars, key=lambda c: (c.get("type") != "shared", str(c.get("summary")))),
        "chosen": chosen,
        "days": days,
        "hours": range(FIRST_HOUR, LAST_HOUR),
        "monday": monday,
        "before": monday - timedelta(days=7),
        "after": monday + timedelta(days=7),
        "people": people,
    }
    return View("calendar.html.jinja", data, at)


def _chosen(context: AppContext, calendars: list[Object], wanted: str) -> Object | None:
    """Return the requested calendar, else that of the server's user, else the first."""
    if (match := next((c for c in calendars if c["calendar_id"] == wanted), None)) is not None:
        return match
    authorization = context.get("authorization", "user") or {}
    own = (c for c in calendars if c.get("type") == "primary" and c.get("user_id") == authorization.get("open_id"))
    return next(own, calendars[0] if calendars else None)


def _monday(week: str, today: date) -> date:
    try:
        day = date.fromisoformat(week) if week else today
    except ValueError:
        day = today
    if not 1971 <= day.year <= 9990:
        day = today
    return day - timedelta(days=day.weekday())


def _events(context: AppContext, calendar: Object) -> list[Object]:
    if calendar.get("type") == "primary" and calendar.get("user_id"):
        return busy_events.of_user(context, calendar["user_id"], external=False)
    events = context.list("calendar_event", {"organizer_calendar_id": calendar["calendar_id"]})
    return [e for e in events if e.get("status") != "cancelled"]


def _day(context: AppContext, events: list[Object], day: date, at: tzinfo, today: date) -> Day:
    since = datetime.combine(day, time(), at)
    before = datetime.combine(day + timedelta(days=1), time(), at)
    slots: list[Slot] = []
    whole: list[Object] = []
    for event in events:
        replaced = busy_events.replaced_starts(context, event)
        for start, end in islice(event_times.spans(event, since, before, replaced), _MOST_INSTANCES):
            if (event.get("start_time") or {}).get("date"):
                if start.date() <= day < max(end.date(), start.date() + timedelta(days=1)):
                    whole.append(event)
            elif start < before and end >= since:
                slots.append(_slot(event, max(start.astimezone(at), since), min(end.astimezone(at), before), since))
    slots.sort(key=lambda s: (s.row, -s.rows))
    _share(slots)
    return Day(day, slots, whole, day == today)


def _slot(event: Object, start: datetime, end: datetime, midnight: datetime) -> Slot:
    first = _half_hours(start - midnight, up=False)
    last = _half_hours(end - midnight, up=True)
    rows = 2 * (LAST_HOUR - FIRST_HOUR)
    first, last = min(max(first, 0), rows - 1), min(max(last, 1), rows)
    return Slot(event, start.strftime("%H:%M"), end.strftime("%H:%M"), first + 1, max(1, last - first))


def _half_hours(since: timedelta, *, up: bool) -> int:
    halves = (since - timedelta(hours=FIRST_HOUR)) / timedelta(minutes=30)
    return -int(-halves // 1) if up else int(halves // 1)


def _share(slots: list[Slot]) -> None:
    """Assign overlapping slots to lanes side by side."""
    group: list[Slot] = []
    reach = 0
    for slot in [*slots, None]:
        if slot is None or slot.row >= reach:
            lanes = min(max((s.lane for s in group), default=1), _MOST_LANES)
            for one in group:
                one.lanes, one.lane = lanes, min(one.lane, _MOST_LANES)
            group, reach = [], 0
        if slot is not None:
            taken = {s.lane for s in group if s.row + s.rows > slot.row}
            slot.lane = next(n for n in range(1, len(taken) + 2) if n not in taken)
            group.append(slot)
            reach = max(reach, slot.row + slot.rows)
