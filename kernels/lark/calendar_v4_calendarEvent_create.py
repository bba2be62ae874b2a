"""The `calendar_v4_calendarEvent_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.lark.rules.calendar import (
    calendars,
    event_fields,
    event_links,
    event_meetings,
    event_times,
    events,
)
from soundstage.kernels.lark.rules.field_sizes import check_size
from soundstage.kernels.lark.rules.idempotency import already_made, remember
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_DEFAULTS: Object = {
    "summary": "",
    "description": "",
    "visibility": "default",
    "attendee_ability": "none",
    "free_busy_status": "busy",
    "color": -1,
    "reminders": [],
    "status": "confirmed",
    "is_exception": False,
}


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create an event on a calendar, without attendees, and with a video meeting only if `vchat` names one.

    Source: https://open.feishu.cn/document/server-docs/calendar-v4/calendar-event/create
    """
    who = caller(context, arguments, "calendar:calendar", "calendar:calendar.event:create")
    data, params = arguments["data"], arguments.get("params", {})
    id_type = params.get("user_id_type", "open_id")
    check_size("idempotency_key", params.get("idempotency_key"), 32, 128)
    fields = event_fields.validate(data)
    calendars.check_identity(context, who)
    calendar = calendars.open_calendar(context, who, arguments["path"]["calendar_id"], "writer")
    start, end = event_times.validate(data["start_time"], data["end_time"])
    if check_in := fields.get("event_check_in"):
        event_fields.check_in_fits(check_in, event_times.minutes_long(start, end))
    if vchat := event_meetings.meeting(context, who, calendar, {}, data.get("vchat", {}), id_type):
        fields["vchat"] = vchat
    if attachments := event_meetings.attachments(context, {}, data.get("attachments", [])):
        fields["attachments"] = attachments

    scope = f"calendar_event:{(context.first('app') or {}).get('app_id', '')}:{calendar['calendar_id']}"
    made = already_made(context, scope, params.get("idempotency_key"), str)
    event = context.get("calendar_event", made) if made else None
    if event is None:
        event_id = context.new_id("calendar_event")
        event = context.create(
            "calendar_event",
            {
                "event_id": event_id,
                "organizer_calendar_id": calendar["calendar_id"],
                "start_time": start,
                "end_time": end,
                **_DEFAULTS,
                **{name: value for name, value in fields.items() if value is not ABSENT},
                "create_time": str(to_s(context.now())),
                "event_organizer": calendars.organiser(context, calendar, who),
                "app_link": event_links.app_link(calendar["calendar_id"], event_id, start),
            },
        )
        remember(context, scope, params.get("idempotency_key"), event_id)
    with_settings = "meeting_settings" in data.get("vchat", {})
    return {"event": events.to_reply(context, event, calendar, who, id_type, with_meeting_settings=with_settings)}
