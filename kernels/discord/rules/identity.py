"""The bot that the server signs in as, and accounts by id.

The token is the server's: the bot is the same one whoever acts.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.errors import unknown
from soundstage.kernels.errors import AppError

# The bot of recorded states, which do not say who it is.
_RECORDED: Object = {"id": "1190284756102938475", "username": "persona-helper", "bot": True}
# What Discord shows for an account that is gone. https://github.com/discord/discord-api-docs (discussions of deleted users)
_DELETED: Object = {"id": "456226577798135808", "username": "Deleted User", "discriminator": "0000"}


@dataclass(frozen=True, slots=True)
class Bot:
    """Who acts. `is_told` says that the state names it, so that its roles decide what it may."""

    user_id: str
    is_told: bool


def signed_in(context: AppContext) -> Bot:
    """The bot of the server.

    Raises:
        AppError: it has not signed in (yet).
    """
    told = context.first("bot")
    if told is None:
        return Bot(str(_RECORDED["id"]), is_told=False)
    if told.get("ready") is False:
        raise AppError("unavailable", "Discord client not ready")
    return Bot(told["user_id"], is_told=True)


def find_user(context: AppContext, user_id: str) -> Object | None:
    """An account by id; that of a recorded state's bot needs no row."""
    return context.get("user", user_id) or (_RECORDED if user_id == _RECORDED["id"] else None)


def fetch_user(context: AppContext, user_id: str) -> Object:
    """GET /users/{id}.

    Raises:
        DiscordError: 10013.
    """
    if (user := find_user(context, user_id)) is None:
        raise unknown("User")
    return user


def user_or_deleted(context: AppContext, user_id: str | None) -> Object:
    """An account by id, or what stands for one that is gone."""
    return (find_user(context, user_id) if user_id else None) or _DELETED


def shown_name(user: Object) -> str:
    """An account's name as discord.py shows it: `cleo`, or `oldie#4821` for one that still has a discriminator."""
    discriminator = user.get("discriminator", "0")
    return str(user["username"]) if discriminator == "0" else f"{user['username']}#{discriminator}"
