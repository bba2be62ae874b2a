"""The life of a container: processed after a while, valid for 24 hours, used once."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.times import older_than, parse_time

_HOURS = 24


def status(container: Object, now: datetime) -> str:
    """Return the status at a time: IN_PROGRESS, FINISHED, ERROR, EXPIRED or PUBLISHED."""
    code = str(container.get("status_code") or "IN_PROGRESS")
    if code not in ("IN_PROGRESS", "FINISHED"):
        return code
    if older_than(container.get("created_at"), _HOURS, now):
        return "EXPIRED"
    ready = parse_time(container.get("ready_at"))
    if code == "IN_PROGRESS" and ready is not None and now >= ready:
        return "ERROR" if container.get("fails") else "FINISHED"
    return code
