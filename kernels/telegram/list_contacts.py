"""The `list_contacts` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the account's contacts."""
    contacts = peers.contacts(server.client())
    return results_json([peers.as_contact(user) for user in contacts]) if contacts else "No contacts found."
