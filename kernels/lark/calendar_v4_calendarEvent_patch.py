"""The `calendar_v4_calendarEvent_patch` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.lark.rules.calendar import (
    calendars,
    event_fields,
    event_links,
    event_meetings,
    event_times,
    events,
    refusals,
)
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_OPEN_TO_ATTENDEES = {*events.PERSONAL_FIELDS, "need_notification"}


def run(context: AppContext, arguments: Arguments) -> Object:
    """Change the given fields of an event; attendees may change only their personal view of it.

    Start and end change only together: one without the other is ignored. Source:
    https://open.feishu.cn/document/server-docs/calendar-v4/calendar-event/patch
    """
    who = caller(context, arguments, "calendar:calendar", "calendar:calendar.event:update")
    data, path = arguments.get("data", {}), arguments["path"]
    id_type = arguments.get("params", {}).get("user_id_type", "open_id")
    changes = event_fields.validate(data)
    calendars.check_identity(context, who)
    calendar = calendars.open_calendar(context, who, path["calendar_id"], "writer")
    event = events.find(context, calendar, path["event_id"])
    if not events.may_edit(event, calendar, who) and not data.keys() <= _OPEN_TO_ATTENDEES:
        raise refusals.not_permitted()

    if events.is_organised_on(event, calendar):
        personal = {}
    else:
        personal = {name: changes.pop(name) for name in events.PERSONAL_FIELDS if name in changes}
    changes |= _times(calendar, event, data)
    if "vchat" in data:
        changes["vchat"] = event_meetings.meeting(context, who, calendar, event, data["vchat"], id_type) or ABSENT
    if "attachments" in data:
        changes["attachments"] = event_meetings.attachments(context, event, data["attachments"]) or ABSENT
    at = {**event, **changes}
    check_in = at.get("event_check_in") or {}
    event_fields.check_in_fits(check_in, event_times.minutes_long(at.get("start_time"), at.get("end_time")))
    if personal:
        changes["attendees"] = events.with_personal(event, calendars.owner_id(context, calendar), personal)
    event = context.update("calendar_event", event["event_id"], changes)
    with_settings = "meeting_settings" in data.get("vchat", {})
    return {"event": events.to_reply(context, event, calendar, who, id_type, with_meeting_settings=with_settings)}


def _times(calendar: Object, event: Object, data: Arguments) -> Object:
    if "start_time" not in data or "end_time" not in data:
        return {}
    start, end = event_times.validate(data["start_time"], data["end_time"])
    calendar_id = event.get("organizer_calendar_id") or str(calendar["calendar_id"])
    link = event_links.app_link(calendar_id, event["event_id"], start)
    return {"start_time": start, "end_time": end, "app_link": link}
