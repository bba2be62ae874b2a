"""search_public_chats: chats and people by title, name or username."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers, searching
from soundstage.kernels.telegram.rules.library import packed
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    client = server.client()
    chats, users = searching.found(client, arguments["query"], packed(arguments["limit"]))
    return indented([peers.formatted(row) for row in (*chats, *users)])
