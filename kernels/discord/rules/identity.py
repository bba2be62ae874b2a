"""The bot that the server signs in as, and accounts by id.

The token belongs to the server, so the bot is the same for every acting person.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.errors import unknown
from soundstage.kernels.errors import AppError

# The bot of recorded states, which do not name it.
_RECORDED: Object = {"id": "1190284756102938475", "username": "persona-helper", "bot": True}
# The account that Discord shows in place of a deleted one. https://github.com/discord/discord-api-docs (discussions of
# deleted users)
_DELETED: Object = {"id": "456226577798135808", "username": "Deleted User", "discriminator": "0000"}


@dataclass(frozen=True, slots=True)
class Bot:
    """The acting bot.

    If `has_row` is true, the state names the bot, and its roles determine its permissions.
    """

    user_id: str
    has_row: bool


def signed_in(context: AppContext) -> Bot:
    """Return the bot of the server.

    Raises:
        AppError: The bot has not signed in yet.
    """
    row = context.first("bot")
    if row is None:
        return Bot(str(_RECORDED["id"]), has_row=False)
    if row.get("ready") is False:
        raise AppError("unavailable", "Discord client not ready")
    return Bot(row["user_id"], has_row=True)


def find_user(context: AppContext, user_id: str) -> Object | None:
    """Return an account by id; the bot of recorded states needs no row."""
    return context.get("user", user_id) or (_RECORDED if user_id == _RECORDED["id"] else None)


def fetch_user(context: AppContext, user_id: str) -> Object:
    """Perform GET /users/{id}.

    Raises:
        DiscordError: 10013.
    """
    if (user := find_user(context, user_id)) is None:
        raise unknown("User")
    return user


def user_or_deleted(context: AppContext, user_id: str | None) -> Object:
    """Return an account by id, or the placeholder for a deleted one."""
    return (find_user(context, user_id) if user_id else None) or _DELETED


def shown_name(user: Object) -> str:
    """Return an account's name as discord.py shows it: `cleo`, or `oldie#4821` with an old discriminator."""
    discriminator = user.get("discriminator", "0")
    return str(user["username"]) if discriminator == "0" else f"{user['username']}#{discriminator}"
