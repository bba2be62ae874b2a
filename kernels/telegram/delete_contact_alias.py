"""The `delete_contact_alias` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import aliases
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete a nickname.

    The file of nicknames belongs to the server, so the account does not matter.
    """
    alias = arguments["alias"]
    if not server.own_rows.delete("contact_alias", aliases.key_of(alias)):
        raise Refusal("not_found", f"Alias '{alias}' not found.")
    return f"Alias '{alias}' deleted."
