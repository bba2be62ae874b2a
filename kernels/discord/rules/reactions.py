"""The bot's own reactions to a message."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.emoji import find_emoji
from soundstage.kernels.discord.rules.errors import DiscordError, PythonError, missing_permissions
from soundstage.kernels.discord.rules.identity import Bot
from soundstage.kernels.discord.rules.permissions import is_withheld, may

_MOST = 20


def react(context: AppContext, bot: Bot, channel: Object, message_id: str, emoji: Any) -> None:
    """Perform PUT …/reactions/{emoji}/@me; a repetition changes nothing.

    Joining an existing reaction needs no permission.

    Raises:
        DiscordError: 10014, 50013, 30010.
    """
    reactions = _reactions(context, message_id)
    wanted = find_emoji(context, _in_address(emoji), reactions)
    place = next((i for i, reaction in enumerate(reactions) if wanted.is_of(reaction)), None)
    is_first = place is None and not may(context, bot, "add_reactions", channel.get("guild_id"), channel)
    if is_first or is_withheld(context, "add_reactions"):
        raise missing_permissions()
    if place is None:
        if len(reactions) >= _MOST:
            raise DiscordError("limit", 400, 30010, f"Maximum number of reactions reached ({_MOST})")
        reactions.append({"count": 1, "me": True, "emoji": {"id": wanted.id, "name": wanted.name}})
    elif not reactions[place].get("me"):
        reactions[place] = {**reactions[place], "count": reactions[place]["count"] + 1, "me": True}
    else:
        return
    context.update("message", message_id, {"reactions": reactions})


def remove_reaction(context: AppContext, message_id: str, emoji: Any) -> None:
    """Perform DELETE …/reactions/{emoji}/@me; without such a reaction nothing changes.

    Raises:
        DiscordError: 10014.
    """
    reactions = _reactions(context, message_id)
    wanted = find_emoji(context, _in_address(emoji), reactions)
    left: list[Object] = []
    for reaction in reactions:
        if wanted.is_of(reaction) and reaction.get("me"):
            reaction = {**reaction, "count": reaction["count"] - 1, "me": False}
        if reaction["count"] > 0:
            left.append(reaction)
    if left != reactions:
        context.update("message", message_id, {"reactions": left})


def _reactions(context: AppContext, message_id: str) -> list[Object]:
    message = context.get("message", message_id) or {}
    return list(message.get("reactions") or [])


def _in_address(emoji: Any) -> str:
    """Return the emoji as discord.py writes it into the address, without the brackets of a pasted custom emoji.

    Raises:
        PythonError: The emoji is not a text.
    """
    if not isinstance(emoji, str):
        raise PythonError(f"emoji argument must be str, Emoji, or Reaction not {type(emoji).__name__}.")
    return emoji.strip("<>")
