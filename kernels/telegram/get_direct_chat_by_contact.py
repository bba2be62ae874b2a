"""The `get_direct_chat_by_contact` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import dialogs, peers
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the private chats with contacts whose name, username or phone contains a text."""
    client = server.client()
    query = arguments["contact_query"]
    matches = [contact for contact in peers.contacts(client) if _fits(contact, query)]
    if not matches:
        return f"No contacts found matching '{query}'."
    private = {int(peer["id"]): dialog for dialog, peer in dialogs.list_dialogs(client) if peers.is_user(peer)}
    records = [_record(contact, private[contact["id"]]) for contact in matches if contact["id"] in private]
    if not records:
        names = ", ".join(peers.name_with_none(contact) for contact in matches)
        return f"Found contacts: {names}, but no direct chats were found with them."
    return results_json(records)


def _fits(contact: Object, query: str) -> bool:
    """Return whether a text is part of the contact's name, username or phone.

    A missing part of the name is the word None.
    """
    name = f"{contact.get('first_name')} {contact.get('last_name')}".strip()
    wanted = query.lower()
    username, phone = contact.get("username") or "", contact.get("phone") or ""
    return wanted in name.lower() or bool(username and wanted in username.lower()) or bool(phone and query in phone)


def _record(contact: Object, dialog: Object) -> dict[str, Any]:
    record: dict[str, Any] = {"chat_id": contact["id"], "contact": peers.name_with_none(contact)}
    if contact.get("username"):
        record["username"] = contact["username"]
    if dialog.get("unread_count"):
        record["unread"] = dialog["unread_count"]
    return record
