"""join_chat_by_link: join a chat by its invite link, or by the hash alone.

What fails is told by what its sentence says, even where it is not about the link.
"""

from __future__ import annotations

from soundstage.kernels.telegram.rules import invites
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    try:
        client = server.client()
        hash_ = _hash_of(arguments["link"])
        chat = invites.member_of(client, hash_)
        if chat is not None:
            return f"You are already a member of this chat: {clean_name(chat.get('title'))}"
        invites.join(client, hash_)
    except Failed as failure:
        raise Said(failure.kind, invites.verdict(failure) or f"Error joining chat: {failure.message}") from None
    return "Joined chat via invite hash."


def _hash_of(link: str) -> str:
    """What follows the last slash, without its plus; a text without a slash is the hash as it stands."""
    return link.rpartition("/")[2].removeprefix("+") if "/" in link else link
