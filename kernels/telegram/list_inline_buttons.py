"""The `list_inline_buttons` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import buttons, history, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, results_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments

_SHOWN = 256


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the buttons under a message, or under the newest message with buttons."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    message_id = buttons.message_id_of(arguments["message_id"])
    peer = resolve.entity(client, chat_id)
    if message_id is None:
        message = buttons.newest_with_buttons(client, peer["id"], arguments["limit"])
    else:
        message = history.find(client, peer["id"], message_id)
    if message is None:
        raise Refusal("not_found", "No message with inline buttons found.")
    listed = buttons.needs_buttons(client, message)
    records = [_record(place, button) for place, button in enumerate(listed)]
    return results_json(records, message_id=message["id"], date=iso(message["date"]))


def _record(place: int, button: Object) -> dict[str, Any]:
    text = clean(button.get("text") or buttons.NAMELESS, _SHOWN)
    record: dict[str, Any] = {"index": place, "text": text, "has_callback": bool(button.get("data"))}
    if button.get("url"):
        record["url"] = button["url"]
    return record
