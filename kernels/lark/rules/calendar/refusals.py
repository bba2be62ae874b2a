"""The calendar's error codes, which all of its tools word alike.

Source: the error lists of the pages below https://open.feishu.cn/document/server-docs/calendar-v4/.
"""

from __future__ import annotations

from soundstage.kernels.lark.rules.errors import LarkError


def wrong_type() -> LarkError:
    """Return 190002."""
    return LarkError(190002, "invalid parameters in request")


def no_bot() -> LarkError:
    """Return 190007."""
    return LarkError(190007, "app bot_id not found", http=404, kind="not_found")


def bad_value(reason: str) -> LarkError:
    """Return 190014 for a well-formed value that the calendar rejects; only `reason` identifies it."""
    details = {"details": [{"key": "reason", "value": reason}]}
    return LarkError(190014, "invalid request parameters. check details for more info.", details=details)


def wrong_data_type(field: str, value: object) -> LarkError:
    """Return 190014 as the real server words it for text that is not a number or a time."""
    return bad_value(
        f"The data type of the {field}({value}) field is incorrect. Please adjust it to the correct data type."
    )


def calendar_not_found() -> LarkError:
    """Return 191000."""
    return LarkError(191000, "calendar not found", http=404, kind="not_found")


def invalid_calendar_id() -> LarkError:
    """Return 191001."""
    return LarkError(191001, "invalid calendar_id")


def no_access_role() -> LarkError:
    """Return 191002."""
    return LarkError(191002, "no calendar access_role", http=403, kind="permission")


def calendar_deleted() -> LarkError:
    """Return 191003."""
    return LarkError(191003, "calendar is deleted", http=403, kind="not_found")


def invalid_calendar_type() -> LarkError:
    """Return 191004."""
    return LarkError(191004, "invalid calendar type", http=403)


def invalid_event_id() -> LarkError:
    """Return 193000."""
    return LarkError(193000, "invalid event_id")


def event_not_found() -> LarkError:
    """Return 193001."""
    return LarkError(193001, "event not found", http=404, kind="not_found")


def not_permitted() -> LarkError:
    """Return 193002."""
    return LarkError(193002, "no permission to operate event", http=403, kind="permission")


def event_deleted() -> LarkError:
    """Return 193003."""
    return LarkError(193003, "event is deleted", http=403, kind="not_found")


def bot_organises() -> LarkError:
    """Return 193101."""
    message = "organizer is bot, can not set assign_hosts, and allow_attendees_start must be true"
    return LarkError(193101, message)


def only_organiser_assigns_hosts() -> LarkError:
    """Return 193102."""
    return LarkError(193102, "only organizer(not bot) can set assign_hosts")


def unknown_attachment() -> LarkError:
    """Return 193105."""
    return LarkError(193105, "invalid attachment file token")


def attendees_hidden() -> LarkError:
    """Return 194001."""
    return LarkError(194001, "no permission to list event attendees", http=403, kind="permission")


def user_gone() -> LarkError:
    """Return 195100."""
    return LarkError(195100, "user is dismiss or not exist in the tenant", http=404, kind="not_found")
