"""Pending private messages, which arrived while the server ran and were not read by a tool, by chat.

Only messages of people count, not those of bots, groups or the account itself. Times are in milliseconds before the
call. Source: telegram_mcp/tools/events.py (_on_new_incoming, _scan_settled, _wait_target, _burst_summary)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import aliases, peers, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.server import Server
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.telegram.rules.times import parse_time


@dataclass(frozen=True, slots=True)
class Burst:
    """The pending messages of a chat, which arrived between `first_ms` and `last_ms` before the call."""

    chat_id: int
    name: str
    username: str | None
    ids: Sequence[int]
    first_ms: int
    last_ms: int

    def summary(self) -> dict[str, Any]:
        """Return the burst as the tools report it."""
        return {
            "chat_id": self.chat_id,
            "name": clean_name(self.name),
            "username": self.username,
            "message_count": len(self.ids),
            "first_message_id": min(self.ids),
            "last_message_id": max(self.ids),
            "burst_seconds": round((self.first_ms - self.last_ms) / 1000, 2),
        }


def bursts(server: Server) -> list[Burst]:
    """Return the chats with pending messages, earliest first; only the default account has any."""
    if server.own_rows.person is not None:
        return []
    by_chat: dict[int, list[tuple[int, Object]]] = {}
    for row in server.context.list("incoming_message"):
        if _counts(server, row):
            by_chat.setdefault(int(row["chat_id"]), []).append((_age_ms(server, row), row))
    result = [_burst(server, chat_id, aged) for chat_id, aged in by_chat.items()]
    return sorted(result, key=lambda burst: -burst.first_ms)


def take(server: Server, burst: Burst) -> None:
    """Mark the messages of a chat as read by a tool."""
    for message_id in burst.ids:
        server.context.delete("incoming_message", (burst.chat_id, message_id))


def target(server: Server, chat_id: Reference | None) -> int | None:
    """Return the chat to wait for, or None for any; a number is accepted without a check.

    Raises:
        AskUser, Failed: The text matches no peer.
    """
    if chat_id is None or chat_id == "":
        return None
    meant = aliases.resolve_alias(server.own_rows, chat_id)
    return int(meant) if isinstance(meant, int) else int(resolve.entity(server.client(), meant)["id"])


def _counts(server: Server, row: Object) -> bool:
    sender = server.context.get("user", _sender_id(row))
    return row["chat_id"] > 0 and sender is not None and not sender.get("bot") and not sender.get("self")


def _sender_id(row: Object) -> int:
    return int(row.get("sender_id") or row["chat_id"])


def _age_ms(server: Server, row: Object) -> int:
    """Return how long before the call a message arrived, at least 0."""
    if row.get("seconds_ago") is not None:
        return round(float(row["seconds_ago"]) * 1000)
    since = server.context.now() - parse_time(row["date"])
    return max(round(since.total_seconds() * 1000), 0)


def _burst(server: Server, chat_id: int, aged: list[tuple[int, Object]]) -> Burst:
    ages = [age for age, _ in aged]
    first = max(aged, key=lambda pair: pair[0])[1]
    sender = server.context.get("user", _sender_id(first)) or {}
    name = peers.full_name(sender) or str(chat_id)
    ids = [int(row["id"]) for _, row in aged]
    return Burst(chat_id, name, sender.get("username"), ids, max(ages), min(ages))
