"""The `calendar_v4_calendar_primary` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.calendar import calendars, refusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_DEFAULTS: Object = {
    "summary": "",
    "description": "",
    "permissions": "show_only_free_busy",
    "color": -1,
    "summary_alias": "",
    "is_deleted": False,
    "is_third_party": False,
}


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the default calendar of the calling user or app.

    Source: https://open.feishu.cn/document/server-docs/calendar-v4/calendar/primary
    """
    who = caller(context, arguments, "calendar:calendar:readonly", "calendar:calendar:read")
    id_type = arguments.get("params", {}).get("user_id_type", "open_id")
    if who.kind == "app" and id_type == "user_id":
        raise refusals.wrong_type()  # a bot has only an open_id and a union_id
    calendars.check_identity(context, who)
    calendar = calendars.open_calendar(context, who, calendars.PRIMARY, "reader")
    shown = {name: value for name, value in calendar.items() if name != "user_id"}
    owner = calendars.owner_id(context, calendar) or who.id
    return {
        "calendars": [
            {
                "calendar": {
                    "calendar_id": calendar["calendar_id"],
                    **_DEFAULTS,
                    **shown,
                    "role": calendars.role_of(calendar, who),
                },
                "user_id": people.id_as(context, owner, id_type)[0],
            }
        ]
    }
