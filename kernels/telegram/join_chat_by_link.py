"""The `join_chat_by_link` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import invites
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Join a chat by its invite link or by the hash alone.

    Errors are classified by their text, even if they are not about the link.
    """
    try:
        client = server.client()
        hash_ = _hash_of(arguments["link"])
        chat = invites.member_of(client, hash_)
        if chat is not None:
            return f"You are already a member of this chat: {clean_name(chat.get('title'))}"
        invites.join(client, hash_)
    except Failed as failure:
        raise Refusal(failure.kind, invites.verdict(failure) or f"Error joining chat: {failure.message}") from None
    return "Joined chat via invite hash."


def _hash_of(link: str) -> str:
    """Return the part after the last slash without its plus, or a text without a slash as it is."""
    return link.rpartition("/")[2].removeprefix("+") if "/" in link else link
