"""Names of people, and the company's time zone."""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext

_USUAL_ZONE = "Asia/Shanghai"


def names(context: AppContext) -> dict[str, str]:
    """Return every user's name by open_id, and the bots' by app_id."""
    users = {u["open_id"]: str(u.get("name") or u["open_id"]) for u in context.list("user")}
    return {**{a["app_id"]: "Bot" for a in context.list("app")}, **users}


def zone(context: AppContext) -> tzinfo:
    """Return the zone of most recent events."""
    for event in context.list("calendar_event", order="-create_time", limit=20):
        name = str((event.get("start_time") or {}).get("timezone") or "")
        if "/" in name:
            try:
                return ZoneInfo(name)
            except (KeyError, ValueError, OSError):
                continue
    return ZoneInfo(_USUAL_ZONE)
