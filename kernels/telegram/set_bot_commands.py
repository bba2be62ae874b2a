"""The `set_bot_commands` tool."""

from __future__ import annotations

import re
from typing import Any

from soundstage.kernels.telegram.rules import resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_COMMAND = re.compile(r"[a-z0-9_]{1,32}\Z")
_LONGEST_DESCRIPTION = 256
_MOST = 100
_NO_BOT = (
    "Error: This function can only be used by bot accounts. "
    "Your current Telegram account is a regular user account, not a bot."
)


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set the commands of a bot: always the acting bot's, whichever bot is named.

    Source of Telegram's refusals: https://core.telegram.org/method/bots.setBotCommands
    """
    client = server.client()
    if not client.me.get("bot"):
        raise Refusal("permission", _NO_BOT)
    commands = [_given(item) for item in arguments["commands"]]
    resolve.entity(client, arguments["bot_username"])
    _check(commands)
    _replace(client, dict(commands))
    return f"Bot commands set for {arguments['bot_username']}."


def _given(item: Any) -> tuple[Any, Any]:
    try:
        return item["command"], item["description"]
    except (KeyError, TypeError, IndexError) as error:
        raise Failed(type(error).__name__, str(error)) from None


def _check(commands: list[tuple[Any, Any]]) -> None:
    if len(commands) > _MOST:
        raise Failed("BOT_COMMANDS_TOO_MUCH")
    for command, description in commands:
        if not isinstance(command, str) or not isinstance(description, str):
            raise Failed("TypeError", "bytes or str expected")
        if not _COMMAND.match(command):
            raise Failed("BOT_COMMAND_INVALID")
        if not 1 <= len(description.strip()) <= _LONGEST_DESCRIPTION:
            raise Failed("BOT_COMMAND_DESCRIPTION_INVALID")


def _replace(client: Client, commands: dict[str, str]) -> None:
    for row in client.own_rows.list("bot_command"):
        if row.get("user_id") in (None, client.id):
            client.own_rows.delete("bot_command", row["command"])
    for command, description in commands.items():
        client.own_rows.put("bot_command", {"command": command}, {"description": description, "user_id": client.id})
