"""The `import_chat_invite` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import invites
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Join a chat by the hash of an invite link."""
    client = server.client()
    hash_ = arguments["hash"].removeprefix("+")
    chat = invites.member_of(client, hash_)
    if chat is not None:
        return f"You are already a member of this chat: {clean_name(chat.get('title'))}"
    try:
        invites.join(client, hash_)
    except Failed as failure:
        verdict = invites.verdict(failure)
        if verdict is None:
            raise
        raise Refusal(failure.kind, verdict) from None
    return "Joined chat via invite hash."
