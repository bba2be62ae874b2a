"""The `set_privacy_settings` tool."""

from __future__ import annotations

from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules import privacy, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set who may see a property of the account.

    Only an unrestricted permission works: the server sends users in a form that Telegram refuses, and omits users that
    it cannot find.
    """
    allowed = server.checked("allow_users", arguments["allow_users"]) or []
    refused = server.checked("disallow_users", arguments["disallow_users"]) or []
    client = server.client()
    key = arguments["key"]
    if key not in privacy.KEYS:
        raise Refusal("invalid", f"Error: Unsupported privacy key '{key}'. Supported keys: {', '.join(privacy.KEYS)}")
    if any(_is_found(client, person) for person in (*allowed, *refused)):
        raise Failed("INPUT_CONSTRUCTOR_INVALID")
    # A list without rules allows no user.
    privacy.replace(client, key, privacy.DISALLOW_ALL if allowed else privacy.ALLOW_ALL)
    return f"Privacy settings for {key} updated successfully."


def _is_found(client: Client, person: Reference) -> bool:
    try:
        resolve.entity(client, person)
    except AppError:
        return False
    return True
