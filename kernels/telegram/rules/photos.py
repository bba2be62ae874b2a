"""Pictures of people."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules.moments import moment
from soundstage.kernels.telegram.rules.server import Client


def of(client: Client, user_id: int) -> list[Object]:
    """Somebody's pictures, the newest first; those whose date the state leaves out come last."""
    rows = client.context.list("profile_photo", {"user_id": user_id}, order="-id")
    dated = sorted((row for row in rows if row.get("date")), key=lambda row: moment(row["date"]), reverse=True)
    return dated + [row for row in rows if not row.get("date")]
