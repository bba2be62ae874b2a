"""Reactions: the available emoji, and the account's reaction to a message.

Source: https://core.telegram.org/bots/api#reactiontypeemoji (the emoji),
https://core.telegram.org/method/messages.sendReaction
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import now_iso

_SINGLE = (
    "👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴"
    "😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡"
)
_JOINED = ("❤\u200d🔥", "👨\u200d💻", "🤷\u200d♂", "🤷\u200d♀")
_EMOJI = frozenset((*_SINGLE, *_JOINED))
_PRESENTATION = "\ufe0f"


def message_of(client: Client, chat_id: int, message_id: int) -> Object:
    """Return the message to react to.

    Raises:
        Failed: MESSAGE_ID_INVALID.
    """
    message = history.find(client, chat_id, message_id)
    if message is None:
        raise Failed("MESSAGE_ID_INVALID")
    return message


def react(client: Client, message: Object, emoji: str) -> None:
    """Set the account's reaction to a message, replacing the previous one.

    Raises:
        Failed: REACTION_INVALID if Telegram does not offer the emoji.
    """
    plain = emoji.replace(_PRESENTATION, "")
    if plain not in _EMOJI:
        raise Failed("REACTION_INVALID")
    remove_reaction(client, message)
    key = {"chat_id": message["chat_id"], "message_id": message["id"], "user_id": client.id}
    client.context.create("reaction", {**key, "emoji": plain, "date": now_iso(client.context)})


def remove_reaction(client: Client, message: Object) -> None:
    """Remove the account's reaction, if there is one."""
    client.context.delete("reaction", (message["chat_id"], message["id"], client.id))
