"""get_contact_chats: the private chat with a contact.

The groups that both are in are never told: the server asks the client library for them in a way that it does not know, and
keeps quiet about it.
"""

from __future__ import annotations

from typing import Any

from soundstage.kernels.telegram.rules import dialogs, peers, resolve
from soundstage.kernels.telegram.rules.errors import Said
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    contact_id = server.checked("contact_id", arguments["contact_id"])
    client = server.client()
    contact = resolve.entity(client, contact_id)
    if not peers.is_user(contact):
        raise Said("invalid", f"ID {contact_id} is not a user/contact.")
    name = peers.name_with_none(contact)
    # Compared with what the caller gave: a handle is no chat's id.
    dialog = next(
        (row for row, peer in dialogs.listed(client) if peers.is_user(peer) and peer["id"] == contact_id), None
    )
    if dialog is None:
        return f"No chats found with {name} (ID: {contact_id})."
    record: dict[str, Any] = {"chat_id": contact["id"], "type": "Private"}
    if dialog.get("unread_count"):
        record["unread"] = dialog["unread_count"]
    return results([record], contact_name=name, contact_id=contact_id)
