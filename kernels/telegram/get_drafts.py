"""The `get_drafts` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, indented_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the drafts of all chats."""
    drafts = [_record(row) for row in server.client().own_rows.list("draft")]
    return indented_json({"drafts": drafts, "count": len(drafts)}) if drafts else "No drafts found."


def _record(row: Object) -> dict[str, Any]:
    return {
        "peer_id": row["chat_id"],
        "message": clean(row.get("message")),
        "date": iso(row["date"]) if row.get("date") else None,
        "no_webpage": bool(row.get("no_webpage")),
        "reply_to_msg_id": row.get("reply_to_msg_id"),
    }
