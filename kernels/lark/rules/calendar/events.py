"""Events on a calendar: lookup, view through a calendar, and representation.

An event is on its organiser's calendar and, for each user in `attendees`, on that user's calendar. Personal settings of
an attendee are in the attendee's entry as `personal`.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.calendar import calendars, refusals
from soundstage.kernels.lark.rules.identity import Caller

PERSONAL_FIELDS = ("visibility", "free_busy_status", "color", "reminders")

_ID = re.compile(r"[0-9a-fA-F-]{36}_\d+", re.ASCII)
_MEETING_DEFAULTS: Object = {
    "join_meeting_permission": "anyone_can_join",
    "auto_record": False,
    "open_lobby": True,
    "allow_attendees_start": True,
}
# Fields of a private event that readers of the calendar can see.
_OPEN_FIELDS = (
    "event_id",
    "organizer_calendar_id",
    "start_time",
    "end_time",
    "visibility",
    "free_busy_status",
    "recurrence",
    "status",
    "is_exception",
    "recurring_event_id",
    "app_link",
)


def find(context: AppContext, calendar: Object, event_id: str) -> Object:
    """Return the event with an id on a calendar.

    Raises:
        LarkError: 193000, 193001, 193003.
    """
    event = context.get("calendar_event", event_id)
    if event is None and not _ID.fullmatch(event_id):
        raise refusals.invalid_event_id()
    if event is None or not _is_on(context, calendar, event):
        raise refusals.event_not_found()
    if event.get("status") == "cancelled":
        raise refusals.event_deleted()
    return event


def is_organised_on(event: Object, calendar: Object) -> bool:
    """Return whether a calendar is the organiser's, not an attendee's."""
    return bool(event.get("organizer_calendar_id", calendar["calendar_id"]) == calendar["calendar_id"])


def attendance(event: Object, open_id: str) -> Object | None:
    """Return a user's entry in `attendees`, or None for users who were never invited or were removed."""
    for attendee in event.get("attendees") or []:
        if attendee.get("user_id") == open_id and attendee.get("rsvp_status") != "removed":
            return dict(attendee)
    return None


def may_edit(event: Object, calendar: Object, caller: Caller) -> bool:
    """Return whether the caller may change shared fields: the organiser, and attendees if the event allows it."""
    if is_organised_on(event, calendar):
        return calendars.has_role(calendar, caller, "writer")
    return bool(event.get("attendee_ability") == "can_modify_event")


def may_list_attendees(event: Object, calendar: Object, caller: Caller) -> bool:
    """Return whether the caller may list the attendees."""
    if is_organised_on(event, calendar) and calendars.has_role(calendar, caller, "writer"):
        return True
    return bool(event.get("attendee_ability", "none") != "none")


def seen_by(event: Object, open_id: str) -> Object:
    """Return the event with a user's personal settings."""
    return {**event, **((attendance(event, open_id) or {}).get("personal") or {})}


def with_personal(event: Object, open_id: str, fields: Object) -> list[Object]:
    """Return the event's `attendees` with a user's personal settings."""
    attendees: list[Object] = event.get("attendees") or [{"type": "user", "user_id": open_id}]
    return [
        {**entry, "personal": {**(entry.get("personal") or {}), **fields}} if entry.get("user_id") == open_id else entry
        for entry in attendees
    ]


def to_reply(
    context: AppContext,
    event: Object,
    calendar: Object,
    caller: Caller,
    id_type: str,
    *,
    with_meeting_settings: bool,
) -> Object:
    """Return an event as replies show it, without its attendees."""
    if not is_organised_on(event, calendar):
        event = seen_by(event, calendars.owner_id(context, calendar))
    if event.get("visibility") == "private" and not calendars.has_role(calendar, caller, "writer"):
        return {field: event[field] for field in _OPEN_FIELDS if field in event}
    reply = {field: value for field, value in event.items() if field != "attendees"}
    if vchat := reply.get("vchat"):
        reply["vchat"] = {name: value for name, value in vchat.items() if name != "meeting_settings"}
        if with_meeting_settings and vchat.get("vc_type") == "vc":
            reply["vchat"]["meeting_settings"] = _meeting_settings(context, vchat, id_type)
    if user_id := (reply.get("event_organizer") or {}).get("user_id"):
        reply["event_organizer"] = {
            **reply["event_organizer"],
            "user_id": people.id_as(context, user_id, id_type)[0],
        }
    return reply


def shown_attendees(context: AppContext, event: Object, id_type: str) -> list[Object]:
    """Return the attendees as replies show them."""
    entries: list[Object] = []
    for attendee in event.get("attendees") or []:
        entry = {name: value for name, value in attendee.items() if name != "personal"}
        if user_id := entry.get("user_id"):
            entry["user_id"] = people.id_as(context, user_id, id_type)[0]
        entries.append(entry)
    return entries


def _is_on(context: AppContext, calendar: Object, event: Object) -> bool:
    if is_organised_on(event, calendar):
        return True
    if calendar.get("type", "primary") == "primary" and attendance(event, calendars.owner_id(context, calendar)):
        return True
    # A state may have neither the organiser's calendar nor the attendees.
    return "attendees" not in event and context.get("calendar", event["organizer_calendar_id"]) is None


def _meeting_settings(context: AppContext, vchat: Object, id_type: str) -> Object:
    settings = {**_MEETING_DEFAULTS, **(vchat.get("meeting_settings") or {})}
    if owner := settings.get("owner_id"):
        settings["owner_id"] = people.id_as(context, owner, id_type)[0]
    if hosts := settings.get("assign_hosts"):
        settings["assign_hosts"] = [people.id_as(context, host, id_type)[0] for host in hosts]
    return settings
