"""list_messages: a chat's messages, by text and by date where wanted.

With a first day, and no text to search for, they come oldest first. Where there is a text or a date, the limit is looked at
after a message was taken, so that none asked for are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.moments import moment
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import results
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    first, last = _day("from_date", arguments["from_date"]), _day("to_date", arguments["to_date"])
    end = None if last is None else _end_of(last)
    newest = history.newest(client, peer["id"])
    if arguments["search_query"]:
        hits = history.matching(newest, arguments["search_query"])
        found = _taken(_searched(hits, first, end), arguments["limit"])
    elif first is not None:
        found = _taken(_upwards(newest, first, end), arguments["limit"])
    elif end is not None:
        found = _taken(_until(newest, end), arguments["limit"])
    else:
        found = history.walk(newest, arguments["limit"])
    if not found:
        return "No messages found matching the criteria."
    return results([_record(client, message) for message in found])


def _day(name: str, text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Said("invalid", f"Invalid {name} format. Use YYYY-MM-DD.") from None


def _end_of(day: datetime) -> datetime:
    return day + timedelta(days=1, microseconds=-1)


def _searched(hits: list[Object], first: datetime | None, end: datetime | None) -> Iterator[Object]:
    """Newest first, down to the first day."""
    for message in hits:
        date = moment(message["date"])
        if end is not None and date > end:
            continue
        if first is not None and date < first:
            return
        yield message


def _upwards(newest: list[Object], first: datetime, end: datetime | None) -> Iterator[Object]:
    """Oldest first, from the first day up to the last."""
    for message in reversed(newest):
        date = moment(message["date"])
        if end is not None and date > end:
            return
        if date >= first:
            yield message


def _until(newest: list[Object], end: datetime) -> Iterator[Object]:
    """Newest first, up to the last day: the library is asked for what is before the next one."""
    if end.date() == datetime.max.date():
        raise Failed("OverflowError")
    return (message for message in newest if moment(message["date"]) <= end)


def _taken(found: Iterable[Object], limit: int) -> list[Object]:
    taken: list[Object] = []
    for message in found:
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
