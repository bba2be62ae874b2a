"""The `create_forum_topic` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, dialogs, history, peers, resolve, wire
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean, results_json
from soundstage.kernels.types import Arguments

_LONGEST_TITLE = 128
_UNUSED = "The specified supergroup does not have forum topics enabled. Use enable_forum_topics first."


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Open a topic in a supergroup that has them.

    Source of Telegram's refusals: https://core.telegram.org/method/messages.createForumTopic
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if not peers.is_supergroup(chat):
        raise Refusal("invalid", "The specified chat is not a supergroup.")
    if not chat.get("forum"):
        raise Refusal("invalid", _UNUSED)
    # The cleaned title is sent, including the marks that cleaning adds.
    title = clean(arguments["title"], _LONGEST_TITLE)
    wire.fits(arguments["icon_color"])
    wire.fits(arguments["icon_emoji_id"], bits=64)
    chats.needs_admin(client, chat)
    topic_id = history.next_id(client, chat["id"])
    icon = {name: arguments[name] for name in ("icon_color", "icon_emoji_id") if arguments[name] is not None}
    client.context.create("topic", {"chat_id": chat["id"], "id": topic_id, "title": title, **icon})
    dialogs.to_top(client, chat["id"])
    return results_json([{"chat_id": chat["id"], "title": title, "topic_id": topic_id}])
