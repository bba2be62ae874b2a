"""The `create_channel` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import creating
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.peers import bare_id
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_LONGEST_ABOUT = 255


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Create a channel or a supergroup.

    The reply contains the id without its mark.
    """
    client = server.client()
    title, about = arguments["title"], arguments["about"]
    if len(about) > _LONGEST_ABOUT:
        raise Failed("CHAT_ABOUT_TOO_LONG")
    kind: creating.Kind = "supergroup" if arguments["megagroup"] else "channel"
    chat = creating.create(client, kind, title, [], **({"about": about} if about else {}))
    return f"Channel '{clean_name(title)}' created with ID: {bare_id(chat['id'])}"
