"""The `get_contact_chats` tool."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.telegram.rules import dialogs, peers, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the private chat with a contact.

    Common groups are never listed: the server requests them in a way that the client library does not know, and hides
    the error.
    """
    contact_id = server.checked("contact_id", arguments["contact_id"])
    client = server.client()
    contact = resolve.entity(client, contact_id)
    if not peers.is_user(contact):
        raise Refusal("invalid", f"ID {contact_id} is not a user/contact.")
    name = peers.name_with_none(contact)
    # The dialog is compared with the caller's value, so a username matches no chat.
    dialog = next(
        (row for row, peer in dialogs.list_dialogs(client) if peers.is_user(peer) and peer["id"] == contact_id), None
    )
    if dialog is None:
        return f"No chats found with {name} (ID: {contact_id})."
    record: dict[str, Any] = {"chat_id": contact["id"], "type": "Private"}
    if dialog.get("unread_count"):
        record["unread"] = dialog["unread_count"]
    return results_json([record], contact_name=name, contact_id=contact_id)
