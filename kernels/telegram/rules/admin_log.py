"""The admin log of supergroups and channels; basic groups have none."""

from __future__ import annotations

from typing import Literal

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import now_iso

_FIRST = 1_000_000_000_001


def note(
    client: Client,
    chat: Object,
    action: Literal["change_title", "change_about"],
    before: str,
    after: str,
) -> None:
    """Record a change that the account made."""
    if not peers.is_channel(chat):
        return
    last = client.context.first("admin_event", order="-id")
    event = {
        "id": int(last["id"]) + 1 if last else _FIRST,
        "chat_id": chat["id"],
        "user_id": client.id,
        "date": now_iso(client.context),
        "action": action,
        "prev_value": before,
        "new_value": after,
    }
    client.context.create("admin_event", event)
