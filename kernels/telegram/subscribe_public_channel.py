"""The `subscribe_public_channel` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, dialogs, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_PRIVATE = "Cannot subscribe: this channel is private or requires an invite link."


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Join a public supergroup or channel.

    Source of Telegram's refusals: https://core.telegram.org/method/channels.joinChannel
    """
    reference = server.checked("channel", arguments["channel"])
    client = server.client()
    with word_errors({"CHANNEL_PRIVATE": _PRIVATE}):
        channel = peers.as_channel(resolve.entity(client, reference))
        title = clean_name(channel.get("title"))
        if chats.is_member(client, channel):
            return f"Already subscribed to {title}."
        if client.context.get("banned_user", (channel["id"], client.id)) is not None:
            raise Failed("USER_BANNED_IN_CHANNEL")
        if not channel.get("username"):
            raise Failed("CHANNEL_PRIVATE")
    chats.add_members(client, channel, [client.id])
    dialogs.to_top(client, channel["id"])
    return f"Subscribed to {title}."
