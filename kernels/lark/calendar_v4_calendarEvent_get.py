"""The `calendar_v4_calendarEvent_get` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar import calendars, event_fields, events, refusals
from soundstage.kernels.lark.rules.field_sizes import check_range
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

ATTENDEES_SHOWN, ATTENDEES_LIMIT = 10, 100


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return an event of a calendar, on request with its attendees and meeting settings.

    Source: https://open.feishu.cn/document/server-docs/calendar-v4/calendar-event/get
    """
    who = caller(context, arguments, "calendar:calendar:readonly", "calendar:calendar.event:read")
    params, path = arguments.get("params", {}), arguments["path"]
    id_type = params.get("user_id_type", "open_id")
    most = event_fields.whole_number(params.get("max_attendee_num", ATTENDEES_SHOWN))
    check_range("max_attendee_num", most, 0, ATTENDEES_LIMIT)
    calendars.check_identity(context, who)
    calendar = calendars.open_calendar(context, who, path["calendar_id"], "reader")
    event = events.find(context, calendar, path["event_id"])

    with_settings = params.get("need_meeting_settings", False) and events.may_edit(event, calendar, who)
    reply = events.to_reply(context, event, calendar, who, id_type, with_meeting_settings=with_settings)
    if params.get("need_attendee"):
        if not events.may_list_attendees(event, calendar, who):
            raise refusals.attendees_hidden()
        attendees = events.shown_attendees(context, event, id_type)
        reply = {**reply, "attendees": attendees[:most], "has_more_attendee": len(attendees) > most}
    return {"event": reply}
