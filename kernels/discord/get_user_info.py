"""The `get_user_info` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.identity import fetch_user, signed_in
from soundstage.kernels.discord.rules.snowflakes import created_at, path_id
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the properties of an account."""
    signed_in(context)
    user = fetch_user(context, path_id(parse_int(required_argument(arguments, "user_id")), "user_id"))
    return (
        "User information:\n"
        f"Name: {user['username']}#{user.get('discriminator', '0')}\n"
        f"ID: {user['id']}\n"
        f"Bot: {user.get('bot', False)}\n"
        f"Created: {created_at(user['id'])}"
    )
