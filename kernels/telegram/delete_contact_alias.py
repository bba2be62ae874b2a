"""delete_contact_alias: forget a nickname. The file of nicknames is the server's, so it matters to no account."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import aliases
from soundstage.kernels.telegram.rules.errors import Said
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    alias = arguments["alias"]
    if not server.mine.delete("contact_alias", aliases.key_of(alias)):
        raise Said("not_found", f"Alias '{alias}' not found.")
    return f"Alias '{alias}' deleted."
