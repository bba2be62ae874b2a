"""The `send_gif` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Fail to send a GIF by its id: the library cannot turn a number into media."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    resolve.entity(server.client(), chat_id)
    raise Failed("TypeError", f"Cannot use {arguments['gif_id']!r} as file")
