"""Privacy rules for the account's online status, phone number and photo.

Source: https://core.telegram.org/api/privacy
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules.server import Client

KEYS = ("status", "phone", "profile_photo")
ALLOW_ALL = "allow_all"
DISALLOW_ALL = "disallow_all"


def rules(client: Client, key: str) -> list[Object]:
    """Return the rules of a key in their order; the default allows everyone."""
    return client.own_rows.list("privacy_rule", {"key": key}) or [{"key": key, "value": ALLOW_ALL}]


def replace(client: Client, key: str, value: str) -> None:
    """Replace all rules of a key by one."""
    for rule in client.own_rows.list("privacy_rule", {"key": key}):
        if rule["value"] != value:
            client.own_rows.delete("privacy_rule", (key, rule["value"]))
    if client.own_rows.get("privacy_rule", (key, value)) is None:
        client.own_rows.create("privacy_rule", {"key": key, "value": value}, {})
