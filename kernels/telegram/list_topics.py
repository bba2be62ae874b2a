"""The `list_topics` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, peers, resolve, wire
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import clean, results_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments

_LONGEST_TITLE = 256


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the topics of a forum supergroup.

    Source of paging and search: https://core.telegram.org/method/messages.getForumTopics
    """
    client = server.client()
    chat = resolve.entity(client, arguments["chat_id"])
    if not peers.is_supergroup(chat):
        raise Refusal("invalid", "The specified chat is not a supergroup.")
    if not chat.get("forum"):
        raise Refusal("invalid", "The specified supergroup does not have forum topics enabled.")
    wire.fits(arguments["limit"], arguments["offset_topic"])
    topics = client.context.list("topic", {"chat_id": chat["id"]})
    topics.sort(key=lambda topic: topic.get("top_message_id") or topic["id"], reverse=True)
    wanted = (arguments["search_query"] or "").lower()
    topics = [topic for topic in topics if wanted in (topic.get("title") or "").lower()]
    topics = _after(topics, arguments["offset_topic"])[: max(arguments["limit"], 0)]
    if not topics:
        return "No topics found for this chat."
    return results_json([_record(client, topic) for topic in topics])


def _after(topics: list[Object], topic_id: int) -> list[Object]:
    """Return the topics after one in the list, or all if it is not in the list."""
    at = next((i for i, topic in enumerate(topics, 1) if topic["id"] == topic_id), 0)
    return topics[at:]


def _record(client: Client, topic: Object) -> dict[str, Any]:
    record: dict[str, Any] = {"id": topic["id"], "title": clean(topic.get("title") or "(no title)", _LONGEST_TITLE)}
    if topic.get("unread_count"):
        record["unread"] = topic["unread_count"]
    record |= {name: bool(topic.get(name)) for name in ("closed", "hidden")}
    top = history.find(client, topic["chat_id"], topic["top_message_id"]) if topic.get("top_message_id") else None
    if top is not None:
        record["last_activity"] = iso(top["date"])
    return record
