"""The `list_messages` tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.telegram.rules.times import parse_time
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a chat's messages, optionally filtered by text and date.

    With a start date and no search text, the oldest come first. With a text or a date, the limit is checked after a
    message is added, so that a limit of 0 returns one message.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    first, last = _day("from_date", arguments["from_date"]), _day("to_date", arguments["to_date"])
    end = None if last is None else _end_of(last)
    newest = history.newest(client, peer["id"])
    if arguments["search_query"]:
        hits = history.matching(newest, arguments["search_query"])
        selected = _up_to_limit(_searched(hits, first, end), arguments["limit"])
    elif first is not None:
        selected = _up_to_limit(_upwards(newest, first, end), arguments["limit"])
    elif end is not None:
        selected = _up_to_limit(_until(newest, end), arguments["limit"])
    else:
        selected = history.walk(newest, arguments["limit"])
    if not selected:
        return "No messages found matching the criteria."
    return results_json([_record(client, message) for message in selected])


def _day(name: str, text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Refusal("invalid", f"Invalid {name} format. Use YYYY-MM-DD.") from None


def _end_of(day: datetime) -> datetime:
    return day + timedelta(days=1, microseconds=-1)


def _searched(hits: list[Object], first: datetime | None, end: datetime | None) -> Iterator[Object]:
    """Yield matches newest first, down to the first day."""
    for message in hits:
        date = parse_time(message["date"])
        if end is not None and date > end:
            continue
        if first is not None and date < first:
            return
        yield message


def _upwards(newest: list[Object], first: datetime, end: datetime | None) -> Iterator[Object]:
    """Yield messages oldest first, from the first day up to the last."""
    for message in reversed(newest):
        date = parse_time(message["date"])
        if end is not None and date > end:
            return
        if date >= first:
            yield message


def _until(newest: list[Object], end: datetime) -> Iterator[Object]:
    """Yield messages newest first, up to the last day.

    The library requests the messages before the following day, which must exist.
    """
    if end.date() == datetime.max.date():
        raise Failed("OverflowError")
    return (message for message in newest if parse_time(message["date"]) <= end)


def _up_to_limit(candidates: Iterable[Object], limit: int) -> list[Object]:
    taken: list[Object] = []
    for message in candidates:
        taken.append(message)
        if len(taken) >= limit:
            break
    return taken


def _record(client: Client, message: Object) -> dict[str, Any]:
    record = messages.plain(client, message)
    if message.get("grouped_id") is not None:
        record["grouped_id"] = message["grouped_id"]
    record |= messages.reply_fields(message)
    if counts := messages.engagement(client, message):
        record["engagement"] = counts
    return record
