"""The `invite_to_group` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Add users to a supergroup or channel."""
    group_id = server.checked("group_id", arguments["group_id"])
    user_ids = server.checked("user_ids", arguments["user_ids"])
    client = server.client()
    group = resolve.entity(client, group_id)
    users = []
    for user_id in user_ids:
        try:
            users.append(resolve.entity(client, user_id))
        except Failed as failure:
            if failure.code != "ValueError":
                raise
            text = f"Error: User with ID {user_id} could not be found. {failure.message}"
            raise Refusal("not_found", text) from None
    channel = peers.as_channel(group)
    invited = [peers.as_user(user) for user in users]
    if not chats.is_member(client, channel):
        raise Failed("CHANNEL_PRIVATE")
    default = client.context.get("default_permission", channel["id"]) or {}
    if channel.get("type") == "channel" or default.get("invite_users") is False:
        chats.needs_admin(client, channel)
    if any(user.get("privacy_no_invites") for user in invited):
        text = "Error: One or more users have privacy settings that prevent you from adding them."
        raise Refusal("permission", text)
    chats.add_members(client, channel, [int(user["id"]) for user in invited])
    return f"Successfully invited {len(invited)} users to {clean_name(channel.get('title'))}"
