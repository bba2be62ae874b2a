"""Who may see something of the account: when it was online, its phone, its photo.

Source: https://core.telegram.org/api/privacy
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules.server import Client

KEYS = ("status", "phone", "profile_photo")
ALLOW_ALL = "allow_all"
DISALLOW_ALL = "disallow_all"


def rules(client: Client, key: str) -> list[Object]:
    """The rules for a key in their order; where none was ever set, everybody may see it."""
    return client.mine.list("privacy_rule", {"key": key}) or [{"key": key, "value": ALLOW_ALL}]


def replace(client: Client, key: str, value: str) -> None:
    """Put one rule in the place of all that there are for a key."""
    for rule in client.mine.list("privacy_rule", {"key": key}):
        if rule["value"] != value:
            client.mine.delete("privacy_rule", (key, rule["value"]))
    if client.mine.get("privacy_rule", (key, value)) is None:
        client.mine.create("privacy_rule", {"key": key, "value": value}, {})
