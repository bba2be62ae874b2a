"""The `get_privacy_settings` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import privacy
from soundstage.kernels.telegram.rules.reprs import Tl
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return who may see the account's online status, in the library's notation."""
    client = server.client()
    shown = [_rule(row) for row in privacy.rules(client, "status")]
    return repr(Tl("PrivacyRules", rules=shown, chats=[], users=[]))


def _rule(row: Object) -> Tl:
    name = "PrivacyValue" + "".join(word.capitalize() for word in row["value"].split("_"))
    return Tl(name, {"users": row.get("user_ids") or []} if row["value"].endswith("_users") else {})
