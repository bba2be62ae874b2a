"""The `get_message_link` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, history, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments

_WIDGET = "https://telegram.org/js/telegram-widget.js?22"


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the link of a message in a supergroup or channel.

    Source of the links: https://core.telegram.org/api/links#message-links; of the snippet:
    https://core.telegram.org/widgets/post
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if not peers.is_channel(chat):
        text = f"Cannot export message link for this entity type ({peers.class_of(chat)}). "
        raise Refusal("invalid", text + "Message links are only available for channels and supergroups.")
    username = chat.get("username")
    if not username and not chats.is_member(client, chat):
        raise Failed("CHANNEL_PRIVATE")
    message = history.find(client, chat["id"], arguments["message_id"])
    if message is None:
        raise Failed("MESSAGE_ID_INVALID")
    topic = f"{message['topic_id']}/" if arguments["thread"] and message.get("topic_id") else ""
    place = username or f"c/{peers.bare_id(chat['id'])}"
    link = f"Link: https://t.me/{place}/{topic}{message['id']}"
    if not username:
        return link
    # Only public messages can be embedded in a page.
    post = f"{username}/{message['id']}"
    snippet = f'<script async src="{_WIDGET}" data-telegram-post="{post}" data-width="100%"></script>'
    return f"{link}\nHTML: {snippet}"
