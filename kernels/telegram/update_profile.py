"""The `update_profile` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_LONGEST_ABOUT, _LONGEST_ABOUT_PREMIUM = 70, 140


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Change the account's names and its bio; omitted arguments stay unchanged.

    Source of Telegram's refusals and limits: https://core.telegram.org/method/account.updateProfile
    """
    client = server.client()
    given = {name: arguments[name] for name in ("first_name", "last_name", "about") if arguments[name] is not None}
    wanted = {name: text.strip() for name, text in given.items()}
    _check(client, wanted)
    if wanted:
        client.context.update("user", client.id, {name: text or ABSENT for name, text in wanted.items()})
    return "Profile updated."


def _check(client: Client, wanted: Object) -> None:
    if wanted.get("first_name") == "":
        raise Failed("FIRSTNAME_INVALID")
    longest = _LONGEST_ABOUT_PREMIUM if client.me.get("premium") else _LONGEST_ABOUT
    if len(wanted.get("about", "")) > longest:
        raise Failed("ABOUT_TOO_LONG")
