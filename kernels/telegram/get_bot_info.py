"""The `get_bot_info` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, clean_name, indented_json
from soundstage.kernels.types import Arguments

_LONGEST_ABOUT = 1024


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the profile of a bot; any user is accepted.

    `bot_username` is not validated: a text of digits is a phone number.
    """
    client = server.client()
    bot = peers.as_user(resolve.entity(client, arguments["bot_username"]))
    info = {
        "id": bot["id"],
        "username": bot.get("username"),
        "first_name": clean_name(bot.get("first_name")),
        "last_name": clean_name(bot.get("last_name")),
        "is_bot": bool(bot.get("bot")),
        "verified": bool(bot.get("verified")),
        "about": clean(bot.get("about"), _LONGEST_ABOUT),
    }
    return indented_json({"bot_info": info})
