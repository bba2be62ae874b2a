"""Profile pictures."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import parse_time


def of(client: Client, user_id: int) -> list[Object]:
    """Return a user's pictures, newest first; pictures without a date come last."""
    rows = client.context.list("profile_photo", {"user_id": user_id}, order="-id")
    dated = sorted((row for row in rows if row.get("date")), key=lambda row: parse_time(row["date"]), reverse=True)
    return dated + [row for row in rows if not row.get("date")]
