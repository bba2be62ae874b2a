"""The `set_default_chat_permissions` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import chats, peers, resolve, wire
from soundstage.kernels.telegram.rules.errors import Failed, word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments

# The permissions of a chat whose state has none.
_USUAL = {
    **dict.fromkeys(("send_messages", "send_media", "send_stickers", "send_gifs", "send_games"), True),
    **dict.fromkeys(("send_inline", "embed_links", "send_polls", "invite_users"), True),
    **dict.fromkeys(("change_info", "pin_messages"), False),
}
_NO_ADMIN = "Error: admin rights required to change default permissions."


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set the permissions of ordinary members of a group.

    Source of Telegram's refusals: https://core.telegram.org/method/messages.editChatDefaultBannedRights
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    until = arguments["until_date"] or None
    wire.fits(until)
    if peers.is_user(chat):
        raise Failed("PEER_ID_INVALID")
    with word_errors({"CHAT_ADMIN_REQUIRED": _NO_ADMIN}):
        chats.needs_admin(client, chat)
    wanted: Object = {name: arguments[name] for name in _USUAL}
    row = client.context.get("default_permission", chat["id"])
    if row is None:
        permissions = {**wanted, **({"until_date": until} if until else {})}
        client.context.create("default_permission", {"chat_id": chat["id"], **permissions})
    elif wanted == _permissions(row) and until == row.get("until_date"):
        return f"Chat {chat_id} default permissions unchanged (already matched)."
    else:
        client.context.update("default_permission", chat["id"], {**wanted, "until_date": until or ABSENT})
    return f"Default permissions for chat {chat_id} updated."


def _permissions(row: Object) -> Object:
    return {name: usual if row.get(name) is None else bool(row[name]) for name, usual in _USUAL.items()}
