"""The `forward_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import forwarding, history, resolve
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_ALBUM = 9
"""Maximum distance between the ids of an album, which has up to ten parts."""


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Forward a message together with the other parts of its album."""
    from_id = server.checked("from_chat_id", arguments["from_chat_id"])
    to_id = server.checked("to_chat_id", arguments["to_chat_id"])
    client = server.client()
    source, target = resolve.entity(client, from_id), resolve.entity(client, to_id)
    given = arguments["message_id"]
    ids = given if isinstance(given, list) else [given]
    album = _album(client, source, given) if arguments["expand_album"] and isinstance(given, int) else []
    if len(album) > 1:
        ids = album
    forwarding.forward(client, source, ids, target)
    if len(ids) == 1:
        return f"Message {given} forwarded from {from_id} to {to_id}."
    if album:
        return f"Album of {len(ids)} messages forwarded from {from_id} to {to_id} (auto-expanded from message {given})."
    return f"{len(ids)} messages forwarded from {from_id} to {to_id}."


def _album(client: Client, source: Object, message_id: int) -> list[int]:
    """Return the ids of the album that a message belongs to."""
    message = history.find(client, source["id"], message_id)
    if message is None or message.get("grouped_id") is None:
        return []
    near = {"id >=": message_id - _ALBUM, "id <=": message_id + _ALBUM, "grouped_id": message["grouped_id"]}
    return sorted(int(m["id"]) for m in history.newest(client, source["id"], near))
