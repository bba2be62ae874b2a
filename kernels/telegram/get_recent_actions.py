"""The `get_recent_actions` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, indented_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments

_MOST = 20
_WITH_VALUES = ("change_title", "change_about")


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the newest entries of a supergroup's or channel's admin log, as the library's dictionaries.

    Source: Telethon 1.45, ChannelAdminLogEvent.to_dict
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    channel = peers.as_channel(resolve.input_entity(client, chat_id))
    chats.needs_admin(client, channel)
    events = client.context.list("admin_event", {"chat_id": channel["id"]}, order="-id")[:_MOST]
    return indented_json(list(map(_record, events))) if events else "No recent admin actions found."


def _record(event: Object) -> dict[str, Any]:
    kind = "".join(word.capitalize() for word in event["action"].split("_"))
    action = {"_": f"ChannelAdminLogEventAction{kind}"}
    if event["action"] in _WITH_VALUES:
        action |= {name: clean(event.get(name)) for name in ("prev_value", "new_value")}
    return {
        "_": "ChannelAdminLogEvent",
        "id": event["id"],
        "date": iso(event["date"]),
        "user_id": event["user_id"],
        "action": action,
    }
