"""The calendar's error codes, as all of its tools word them.

Source: the error lists of the pages below https://open.feishu.cn/document/server-docs/calendar-v4/.
"""

from __future__ import annotations

from soundstage.kernels.lark.rules.errors import LarkError


def wrong_type() -> LarkError:
    return LarkError(190002, "invalid parameters in request")


def no_bot() -> LarkError:
    return LarkError(190007, "app bot_id not found", http=404, kind="not_found")


def bad_value(reason: str) -> LarkError:
    """A well-formed value that the calendar does not take; `reason` is all that tells which."""
    details = {"details": [{"key": "reason", "value": reason}]}
    return LarkError(190014, "invalid request parameters. check details for more info.", details=details)


def wrong_data_type(field: str, value: object) -> LarkError:
    """`bad_value` in the words that the real server has for text that is no number or no time."""
    return bad_value(
        f"The data type of the {field}({value}) field is incorrect. Please adjust it to the correct data type."
    )


def calendar_not_found() -> LarkError:
    return LarkError(191000, "calendar not found", http=404, kind="not_found")


def invalid_calendar_id() -> LarkError:
    return LarkError(191001, "invalid calendar_id")


def no_access_role() -> LarkError:
    return LarkError(191002, "no calendar access_role", http=403, kind="permission")


def calendar_deleted() -> LarkError:
    return LarkError(191003, "calendar is deleted", http=403, kind="not_found")


def invalid_calendar_type() -> LarkError:
    return LarkError(191004, "invalid calendar type", http=403)


def invalid_event_id() -> LarkError:
    return LarkError(193000, "invalid event_id")


def event_not_found() -> LarkError:
    return LarkError(193001, "event not found", http=404, kind="not_found")


def not_permitted() -> LarkError:
    return LarkError(193002, "no permission to operate event", http=403, kind="permission")


def event_deleted() -> LarkError:
    return LarkError(193003, "event is deleted", http=403, kind="not_found")


def bot_organises() -> LarkError:
    message = "organizer is bot, can not set assign_hosts, and allow_attendees_start must be true"
    return LarkError(193101, message)


def only_organiser_assigns_hosts() -> LarkError:
    return LarkError(193102, "only organizer(not bot) can set assign_hosts")


def unknown_attachment() -> LarkError:
    return LarkError(193105, "invalid attachment file token")


def attendees_hidden() -> LarkError:
    return LarkError(194001, "no permission to list event attendees", http=403, kind="permission")


def user_gone() -> LarkError:
    return LarkError(195100, "user is dismiss or not exist in the tenant", http=404, kind="not_found")
