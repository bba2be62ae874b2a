"""Fields of an event: validation and stored form.

The API gateway rejects wrong sizes (99992402), the calendar rejects wrong values (190002, 190014). Limits:
https://open.feishu.cn/document/server-docs/calendar-v4/calendar-event/create.
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.lark.rules.calendar import refusals
from soundstage.kernels.lark.rules.field_sizes import check_range, check_size
from soundstage.kernels.lark.rules.recurrence_text import parse
from soundstage.kernels.types import Arguments

REMINDER_MINUTES_LIMIT = 20160

_SIZES = {
    ("summary",): (0, 1000),
    ("description",): (0, 40960),
    ("recurrence",): (0, 2000),
    ("location", "name"): (1, 512),
    ("location", "address"): (1, 255),
    ("vchat", "description"): (0, 500),
    ("vchat", "meeting_url"): (1, 2000),
}
_PLAIN = ("summary", "description", "visibility", "attendee_ability", "free_busy_status", "location")
_PARTS_OF_THE_PAGE = (
    "ForwardIcon",
    "MeetingChatIcon",
    "MeetingMinutesIcon",
    "MeetingVideo",
    "RSVP",
    "Attendee",
    "OrganizerOrCreator",
)
_CHECK_IN_MINUTES = (0, 5, 15, 30, 60)


def validate(data: Arguments) -> Object:
    """Return the fields of an event that are stored as sent; times, meeting and attachments are separate.

    Raises:
        LarkError: 99992402, 190002, 190014.
    """
    for path, (shortest, longest) in _SIZES.items():
        check_size(".".join(path), _at(data, path), shortest, longest)
    fields: Object = {name: data[name] for name in _PLAIN if name in data}
    if "color" in data:
        fields["color"] = whole_number(data["color"])
    if "reminders" in data:
        fields["reminders"] = [_reminder(reminder) for reminder in data["reminders"]]
    if "recurrence" in data:
        fields["recurrence"] = _recurrence(data["recurrence"])
    if "schemas" in data:
        fields["schemas"] = [_schema(schema) for schema in data["schemas"]]
    if "event_check_in" in data:
        fields["event_check_in"] = _check_in(data["event_check_in"])
    return fields


def whole_number(value: float) -> int:
    """Return a JSON number as the API's int32.

    Raises:
        LarkError: 190002.
    """
    if not -(2**31) <= value < 2**31 or value != int(value):
        raise refusals.wrong_type()
    return int(value)


def check_in_fits(check_in: Object, minutes_long: float) -> None:
    """Reject a check-in that would end before it starts.

    Raises:
        LarkError: 190014.
    """
    start, end = check_in.get("check_in_start_time"), check_in.get("check_in_end_time")
    if start and end and _minute_of(start, minutes_long) >= _minute_of(end, minutes_long):
        raise refusals.bad_value("check_in_end_time should be later than check_in_start_time")


def _at(data: Arguments, path: tuple[str, ...]) -> str | None:
    value: Arguments = data
    for step in path[:-1]:
        value = value.get(step) or {}
    return value.get(path[-1])


def _reminder(reminder: Object) -> Object:
    minutes = whole_number(reminder.get("minutes", 0))
    check_range("reminders.minutes", minutes, -REMINDER_MINUTES_LIMIT, REMINDER_MINUTES_LIMIT)
    return {"minutes": minutes}


def _recurrence(rule: str) -> object:
    if not rule:
        return ABSENT
    try:
        parse(rule)
    except ValueError as error:
        raise refusals.bad_value(f"recurrence is invalid: {error}") from None
    return rule


def _schema(schema: Object) -> Object:
    if schema.get("ui_name") not in _PARTS_OF_THE_PAGE:
        raise refusals.bad_value(f"schemas.ui_name should be one of {', '.join(_PARTS_OF_THE_PAGE)}")
    if schema.get("ui_status", "hide") != "hide":
        raise refusals.bad_value("schemas.ui_status only supports hide")
    return {"ui_name": schema["ui_name"], "ui_status": "hide"}


def _check_in(check_in: Object) -> Object:
    stored: Object = {"enable_check_in": check_in["enable_check_in"]}
    for name in ("check_in_start_time", "check_in_end_time"):
        if at := check_in.get(name):
            stored[name] = {"time_type": at["time_type"], "duration": _check_in_minutes(name, at)}
    stored["need_notify_attendees"] = check_in.get("need_notify_attendees", False)
    return stored


def _check_in_minutes(name: str, at: Object) -> int:
    minutes = whole_number(at["duration"])
    check_range(f"event_check_in.{name}.duration", minutes, 0, 60)
    if minutes not in _CHECK_IN_MINUTES:
        raise refusals.bad_value(f"{name}.duration should be one of {', '.join(map(str, _CHECK_IN_MINUTES))}")
    if minutes == 0 and at["time_type"] == "before_event_start":
        raise refusals.bad_value(f"{name}.duration should not be 0 before the event starts")
    return minutes


def _minute_of(at: Object, minutes_long: float) -> float:
    """Return when a check-in starts or ends, in minutes from the start of the event."""
    minutes: int = at["duration"]
    return {"before_event_start": -minutes, "after_event_start": minutes}.get(at["time_type"], minutes_long + minutes)
