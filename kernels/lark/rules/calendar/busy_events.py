"""Events that make a user or a room busy."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar import calendars, events

EXTERNAL_TYPES = ("google", "exchange")
_NOT_COMING = ("decline", "removed")


def of_user(context: AppContext, open_id: str, *, external: bool) -> list[Object]:
    """Return the events of a user as they see them.

    These are the events of the primary calendar, of bound external calendars if requested, and of invitations that the
    user has not declined.
    """
    own = [calendars.primary_of_user(context, open_id)]
    if external:
        own += context.list("calendar", {"user_id": open_id, "type in": EXTERNAL_TYPES})
    ids = [calendar["calendar_id"] for calendar in own if calendar is not None and not calendar.get("is_deleted")]
    candidates = context.list("calendar_event", {"organizer_calendar_id in": ids}) if ids else []
    candidates += [event for event in _with_attendees(context) if event.get("organizer_calendar_id") not in ids]
    return [
        events.seen_by(event, open_id)
        for event in candidates
        if _is_on(event) and _comes(events.attendance(event, open_id), event.get("organizer_calendar_id") in ids)
    ]


def of_room(context: AppContext, room_id: str) -> list[Object]:
    """Return the events that a room is booked for."""
    return [
        event
        for event in _with_attendees(context)
        if _is_on(event)
        and any(a.get("room_id") == room_id and a.get("rsvp_status") not in _NOT_COMING for a in event["attendees"])
    ]


def replaced_starts(context: AppContext, event: Object) -> frozenset[int]:
    """Return the original starts of a recurring event's instances that became separate events, cancelled or not."""
    if not event.get("recurrence"):
        return frozenset()
    event_id: str = event["event_id"]
    names = [event_id, event_id.rpartition("_")[0]]
    exceptions = context.list("calendar_event", {"recurring_event_id in": names})
    starts = (exception["event_id"].rpartition("_")[2] for exception in exceptions)
    return frozenset(int(start) for start in starts if start.isdecimal())


def _with_attendees(context: AppContext) -> list[Object]:
    return context.list("calendar_event", {"attendees !=": []})


def _is_on(event: Object) -> bool:
    return event.get("status") != "cancelled"


def _comes(attendance: Object | None, is_own: bool) -> bool:
    return is_own if attendance is None else attendance.get("rsvp_status") not in _NOT_COMING
