"""A server's audit log: the bot's actions and their reasons.

Source: https://github.com/discord/discord-api-docs (Resources, Audit Log).
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.errors import invalid_form
from soundstage.kernels.discord.rules.identity import Bot
from soundstage.kernels.discord.rules.snowflakes import new_snowflake

CHANNEL_CREATE, CHANNEL_DELETE, MEMBER_ROLE_UPDATE, THREAD_DELETE = 10, 12, 25, 112
_LONGEST_REASON = 512


def check_reason(reason: str) -> None:
    """Reject a reason that is too long.

    Source of the text: https://github.com/laggron42/Laggrons-Dumb-Cogs/issues/41

    Raises:
        DiscordError: 50035.
    """
    if len(reason) > _LONGEST_REASON:
        raise invalid_form("reason", f"Must be {_LONGEST_REASON} or fewer in length.")


def note(context: AppContext, bot: Bot, guild_id: str, action_type: int, target_id: str, reason: str) -> None:
    """Add an entry; an empty reason is omitted."""
    context.create(
        "audit_log_entry",
        {
            "id": new_snowflake(context),
            "guild_id": guild_id,
            "user_id": bot.user_id,
            "action_type": action_type,
            "target_id": target_id,
            **({"reason": reason} if reason else {}),
        },
    )
