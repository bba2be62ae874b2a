"""The link that opens an event in the app."""

from __future__ import annotations

import hashlib

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar.event_times import start_seconds


def app_link(calendar_id: str, event_id: str, start: Object) -> str:
    """Return `app_link` of an event; the number of a calendar in it never changes."""
    key, _, original_time = event_id.rpartition("_")
    digest = hashlib.blake2b(calendar_id.encode(), digest_size=8).digest()
    number = 7 * 10**18 + int.from_bytes(digest, "big") % 10**18
    return (
        "https://applink.feishu.cn/client/calendar/event/detail"
        f"?calendarId={number}&key={key}&originalTime={original_time}&startTime={start_seconds(start)}"
    )
