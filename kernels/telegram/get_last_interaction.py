"""The `get_last_interaction` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import history, peers, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, results_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments

_SHOWN = 5


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the last private messages exchanged with a contact."""
    contact_id = server.checked("contact_id", arguments["contact_id"])
    client = server.client()
    contact = resolve.entity(client, contact_id)
    if not peers.is_user(contact):
        raise Refusal("invalid", f"ID {contact_id} is not a user/contact.")
    name = peers.name_with_none(contact)
    newest = history.newest(client, contact["id"])[:_SHOWN]
    if not newest:
        return f"No messages found with {name} (ID: {contact_id})."
    records = [
        {
            "date": iso(message["date"]),
            "from": "You" if history.sent_by(client, message) else name,
            "text": clean(message.get("text")),
        }
        for message in newest
    ]
    return results_json(records, contact_name=name, contact_id=contact_id)
