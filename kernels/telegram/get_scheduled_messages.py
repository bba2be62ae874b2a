"""The `get_scheduled_messages` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean
from soundstage.kernels.telegram.rules.times import iso, parse_time
from soundstage.kernels.types import Arguments

_SHOWN = 100


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the scheduled messages of a chat, latest first."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    rows = client.own_rows.list("scheduled_message", {"chat_id": peer["id"]})
    if not rows:
        return f"No scheduled messages in chat {chat_id}."
    rows.sort(key=lambda row: (parse_time(row["date"]), int(row["id"])), reverse=True)
    lines = [f"Scheduled messages in chat {chat_id} ({len(rows)}):"]
    for row in rows:
        preview = clean(row.get("text"), _SHOWN).replace("\n", "\\n")
        lines.append(f"ID: {row['id']} | Scheduled: {iso(row['date'])} | Text: {preview}")
    return "\n".join(lines)
