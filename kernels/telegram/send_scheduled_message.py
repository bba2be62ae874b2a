"""The `send_scheduled_message` tool."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import markup, resolve, sending
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_MARKUP = "md"
"""The library's default markup."""

_FURTHEST = timedelta(days=365)
_AT_ONCE = timedelta(seconds=20)
"""Messages due within this time are sent at once."""

_MOST = 100
"""Maximum number of scheduled messages of a chat."""


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Schedule a text for later.

    Source of Telegram's rules: https://core.telegram.org/api/scheduled-messages
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    due, now = _parsed_time(arguments["schedule_date"]), server.context.now()
    if due <= now:
        raise Refusal("invalid", f"schedule_date must be in the future (got {due.isoformat()}, now {now.isoformat()}).")
    peer = resolve.entity(client, chat_id)
    text, entities = markup.parse(arguments["message"], _MARKUP)
    if not text:
        raise Failed("ValueError", "The message cannot be empty unless a file is provided")
    sending.may_write(client, peer)
    text = sending.checked_text(text)
    if due - now > _FURTHEST:
        raise Failed("SCHEDULE_DATE_TOO_LATE")
    if due - now < _AT_ONCE:
        number = int(sending.put(client, peer, text, **({"entities": entities} if entities else {}))["id"])
    else:
        number = _schedule(client, peer, text, due)
    return f"Scheduled message {number} for {due.isoformat()} in chat {chat_id}."


def _parsed_time(given: str | int) -> datetime:
    """Parse a Unix time or an ISO text, which is UTC if it has no zone."""
    try:
        if isinstance(given, int):
            return datetime.fromtimestamp(given, tz=UTC)
        parsed = datetime.fromisoformat(given)
    except (ValueError, OverflowError, OSError) as error:
        raise Failed(type(error).__name__) from None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed


def _schedule(client: Client, peer: Object, text: str, due: datetime) -> int:
    """Store a message until it is due and return its number, which is counted per chat."""
    rows = client.own_rows.list("scheduled_message", {"chat_id": peer["id"]})
    if len(rows) >= _MOST:
        raise Failed("SCHEDULE_TOO_MUCH")
    number = max((int(row["id"]) for row in rows), default=0) + 1
    date = due.astimezone(UTC).replace(microsecond=0).isoformat()
    client.own_rows.create("scheduled_message", {"chat_id": peer["id"], "id": number}, {"text": text, "date": date})
    return number
