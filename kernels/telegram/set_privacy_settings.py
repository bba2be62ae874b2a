"""set_privacy_settings: who may see something of the account.

Only everybody can be allowed: the server sends people in a form that Telegram refuses, and leaves those out whom it cannot find.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules import privacy, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    allowed = server.checked("allow_users", arguments["allow_users"]) or []
    refused = server.checked("disallow_users", arguments["disallow_users"]) or []
    client = server.client()
    key = arguments["key"]
    if key not in privacy.KEYS:
        raise Said("invalid", f"Error: Unsupported privacy key '{key}'. Supported keys: {', '.join(privacy.KEYS)}")
    if any(_is_found(client, person) for person in (*allowed, *refused)):
        raise Failed("INPUT_CONSTRUCTOR_INVALID")
    # Without any rule nobody is allowed.
    privacy.replace(client, key, privacy.DISALLOW_ALL if allowed else privacy.ALLOW_ALL)
    return f"Privacy settings for {key} updated successfully."


def _is_found(client: Client, person: Reference) -> bool:
    try:
        resolve.entity(client, person)
    except AppError:
        return False
    return True
