"""send_scheduled_message: schedule a text for later.

Source of Telegram's rules: https://core.telegram.org/api/scheduled-messages
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import markup, resolve, sending
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_MARKUP = "md"
"""The library's markup where a tool names none."""

_FURTHEST = timedelta(days=365)


@writing
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    due, now = _moment(arguments["schedule_date"]), server.context.now()
    if due <= now:
        raise Said("invalid", f"schedule_date must be in the future (got {due.isoformat()}, now {now.isoformat()}).")
    peer = resolve.entity(client, chat_id)
    text, _ = markup.parse(arguments["message"], _MARKUP)
    if not text:
        raise Failed("ValueError", "The message cannot be empty unless a file is provided")
    sending.may_write(client, peer)
    text = sending.checked_text(text)
    if due - now > _FURTHEST:
        raise Failed("SCHEDULE_DATE_TOO_LATE")
    number = _next_id(client, peer)
    date = due.astimezone(UTC).replace(microsecond=0).isoformat()
    client.mine.create("scheduled_message", {"chat_id": peer["id"], "id": number}, {"text": text, "date": date})
    return f"Scheduled message {number} for {due.isoformat()} in chat {chat_id}."


def _moment(given: str | int) -> datetime:
    """A moment from a Unix time or an ISO text, which is UTC where it names no zone."""
    try:
        if isinstance(given, int):
            return datetime.fromtimestamp(given, tz=UTC)
        parsed = datetime.fromisoformat(given.replace("Z", "+00:00"))
    except (ValueError, OverflowError, OSError) as error:
        raise Failed(type(error).__name__) from None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed


def _next_id(client: Client, peer: Object) -> int:
    """Scheduled messages are numbered by themselves, chat by chat."""
    rows = client.mine.list("scheduled_message", {"chat_id": peer["id"]})
    return max((int(row["id"]) for row in rows), default=0) + 1
