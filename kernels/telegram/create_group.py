"""The `create_group` tool."""

from __future__ import annotations

from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules import creating, dialogs, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_LOOKED_AT = 5
_WAIT_MS = 1000


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Create a basic group with some users.

    The library's result contains no usable chat, so the server waits a second and looks for the title among the first
    five chats of the list.
    """
    user_ids = server.checked("user_ids", arguments["user_ids"])
    client = server.client()
    title = arguments["title"]
    users = []
    for user_id in user_ids:
        try:
            users.append(resolve.entity(client, user_id))
        except AppError:
            raise Refusal("not_found", f"Error: Could not find user with ID {user_id}") from None
    if not users:
        raise Refusal("invalid", "Error: No valid users provided")
    invited = [peers.as_user(user) for user in users]
    if all(user["id"] == client.id for user in invited):
        raise Failed("USERS_TOO_FEW")
    # Users whose privacy settings forbid it are silently omitted.
    members = [int(user["id"]) for user in invited if not user.get("privacy_no_invites")]
    creating.create(client, "group", title, members)
    client.context.wait(_WAIT_MS)
    for _, peer in dialogs.list_dialogs(client)[:_LOOKED_AT]:
        if peers.display_name(peer) == title:
            return f"Group created with ID: {peer['id']}"
    return f"Group created successfully. Please check your recent chats for '{clean_name(title)}'."
