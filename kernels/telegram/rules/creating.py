"""New groups and channels."""

from __future__ import annotations

from typing import Any, Literal

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import dialogs, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import now_iso

Kind = Literal["group", "supergroup", "channel"]

_LONGEST_TITLE = 255
_GROUP_ID = "4{digits:9}"
_CHANNEL_ID = "2{digits:9}"


def create(client: Client, kind: Kind, title: str, members: list[int], **fields: Any) -> Object:
    """Create a chat of the account with members, at the top of its list.

    Raises:
        Failed: CHAT_TITLE_EMPTY.
    """
    bare = int(client.context.new_id("chat", _GROUP_ID if kind == "group" else _CHANNEL_ID))
    row = {
        "id": -bare if kind == "group" else peers.CHANNEL_MARK - bare,
        "type": kind,
        "title": checked_title(title),
        "participants": list(dict.fromkeys((client.id, *members))),
        **({"creator": True} if client.is_own else {"creator_id": client.id}),
        "date": now_iso(client.context),
        **fields,
    }
    chat = client.context.create("chat", row)
    dialogs.to_top(client, chat["id"])
    return chat


def checked_title(title: str) -> str:
    """Return a chat's title as Telegram stores it.

    Raises:
        Failed: CHAT_TITLE_EMPTY.
    """
    title = title.strip()[:_LONGEST_TITLE]
    if not title:
        raise Failed("CHAT_TITLE_EMPTY")
    return title
