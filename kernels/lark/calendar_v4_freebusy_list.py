"""The `calendar_v4_freebusy_list` tool."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar import busy_events, calendars, event_times, refusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

LONGEST_WINDOW = timedelta(days=90)
INSTANCES_LIMIT = 1000  # limit for one recurring event


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return when a user (on the primary calendar) or a room is busy.

    Slots are not sorted, not merged and not cut to the window. Source:
    https://open.feishu.cn/document/server-docs/calendar-v4/calendar/list
    """
    who = caller(context, arguments, "calendar:calendar:readonly", "calendar:calendar.free_busy:read")
    data = arguments["data"]
    since = event_times.rfc3339("time_min", data["time_min"])
    before = event_times.rfc3339("time_max", data["time_max"])
    if before <= since:
        raise refusals.bad_value("time_max should be later than time_min")
    if before - since > LONGEST_WINDOW:
        raise refusals.bad_value("the interval between time_min and time_max should not be longer than 90 days")
    if not data.get("user_id") and not data.get("room_id"):
        raise refusals.bad_value("user_id or room_id is required")
    calendars.check_identity(context, who)

    if data.get("user_id"):
        id_type = arguments.get("params", {}).get("user_id_type", "open_id")
        user = calendars.present_user(context, data["user_id"], id_type)
        busy = busy_events.of_user(context, user["open_id"], external=data.get("include_external_calendar", True))
    else:
        busy = busy_events.of_room(context, data["room_id"])
    slots = [
        {"start_time": _shown(start, since), "end_time": _shown(end, since)}
        for event in busy
        if not data.get("only_busy", True) or event.get("free_busy_status") != "free"
        for start, end in islice(
            event_times.spans(event, since, before, busy_events.replaced_starts(context, event)), INSTANCES_LIMIT
        )
    ]
    return {"freebusy_list": slots}


def _shown(time: datetime, requested: datetime) -> str:
    """Format a time with the UTC offset of the request."""
    return time.astimezone(requested.tzinfo).isoformat(timespec="seconds").replace("+00:00", "Z")
