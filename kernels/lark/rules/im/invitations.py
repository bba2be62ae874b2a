"""The people of a new chat: its owner and the invited people and bots, all validated before anyone joins."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.im import chats


def invited_people(context: AppContext, ids: list[str], id_type: str) -> list[Object]:
    """Return the users with these ids, each once.

    Raises:
        LarkError: An id is malformed (232030), an id is unknown or its user outside the app's availability range
            (232043),
            or a user has resigned (232022).
    """
    if not all(people.is_well_formed(value, id_type) for value in ids):
        raise LarkError(232030, "Your request specifies a user_id which is invalid.")
    by_id = {value: people.find_user(context, value, id_type) for value in ids}
    if unknown := [value for value, user in by_id.items() if user is None]:
        raise _unavailable(f"invalid user ids: [{' '.join(unknown)}]")
    users = {user["open_id"]: user for user in by_id.values() if user is not None}
    if any(people.has_resigned(user) for user in users.values()):
        raise LarkError(232022, "User has already resigned.", kind="not_found")
    if hidden := [open_id for open_id in users if not people.may_use_app(context, open_id)]:
        raise _unavailable(f"bot is invisible to user ids: [{' '.join(hidden)}]")
    return list(users.values())


def invited_bots(context: AppContext, app_ids: list[str]) -> list[str]:
    """Return the app_ids of the invited bots, each once.

    Raises:
        LarkError: An id is not an app_id (232043), an app is unknown (232021) or has no bot (232025).
    """
    if wrong := [value for value in app_ids if not value.startswith("cli_")]:
        raise _unavailable(f"invalid bot ids: [{' '.join(wrong)}]")
    for app_id in app_ids:
        app = context.get("app", app_id)
        if app is None:
            raise LarkError(232021, "Bot can NOT be found.", kind="not_found")
        if app.get("bot_enabled") is False:
            raise chats.bot_inactive()
    return list(dict.fromkeys(app_ids))


def check_tenants(
    context: AppContext, bot: Caller, owner: Object | None, invited: list[Object], chat_type: str
) -> bool:
    """Return whether the chat will be external, which requires a shared app and a person as owner.

    Raises:
        LarkError: The owner belongs to another tenant (232032), the app may not have external chats (232033), or the
            external chat would be public (232069) or owned by the bot (232001).
    """
    if owner is not None and people.is_foreign(owner, bot.tenant_key):
        message = "The operator who will create the chat and the designated chat owner must be in the same tenant."
        raise LarkError(232032, message, kind="permission")
    if not any(people.is_foreign(user, bot.tenant_key) for user in invited):
        return False
    if not (context.first("app") or {}).get("external_sharing"):
        raise chats.no_external_chats()
    if chat_type == "public":
        raise LarkError(232069, "current chat type unsupported to set public.")
    if owner is None:
        raise chats.invalid_parameter()
    return True


def _unavailable(reason: str) -> LarkError:
    return LarkError(232043, f"Your request contains unavailable ids, ext={reason}", kind="not_found")
