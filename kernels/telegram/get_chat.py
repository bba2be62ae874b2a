"""The `get_chat` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, dialogs, history, peers, resolve
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import clean, clean_name, results_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a chat with its member count, its dialog and its last message."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    record = _person(peer) if peers.is_user(peer) else _chat(peer)
    dialog = dialogs.get(client, peer["id"])
    record["unread"] = dialog.get("unread_count", 0)
    record["archived"] = bool(dialog.get("archived"))
    last = history.newest(client, peer["id"])[:1]
    if last:
        record["last_message"] = _last(client, last[0])
    return results_json([], **record)


def _chat(chat: Object) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": chat["id"],
        "title": clean_name(chat.get("title")),
        "type": peers.type_of(chat),
    }
    if chat.get("username"):
        record["username"] = chat["username"]
    record["participants"] = chats.count_members(chat)
    return record


def _person(user: Object) -> dict[str, Any]:
    record: dict[str, Any] = {"id": user["id"], "name": peers.name_in_list(user), "type": "User"}
    for name in ("username", "phone"):
        if user.get(name):
            record[name] = user[name]
    return {**record, "bot": bool(user.get("bot")), "verified": bool(user.get("verified"))}


def _last(client: Client, message: Object) -> dict[str, Any]:
    sender = history.sender(client, message)
    name = "" if sender is None else peers.display_name(sender)
    return {"sender": clean_name(name or "Unknown"), "date": iso(message["date"]), "text": clean(message.get("text"))}
