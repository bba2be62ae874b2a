"""The `get_participants` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments

_LARGEST_PAGE = 1000


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a page of the members of a group or channel."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    page, page_size = arguments["page"], arguments["page_size"]
    if page_size > _LARGEST_PAGE:
        raise Refusal("limit", "Error: page_size cannot exceed 1000 participants per request.")
    client = server.client()
    offset = (page - 1) * page_size
    fetched = _members(client, resolve.input_entity(client, chat_id))[: max(offset + page_size, 0)]
    shown = fetched[offset : offset + page_size]
    if not shown:
        return results_json([])
    more = f" — more results available on page {page + 1}" if len(shown) == page_size else ""
    return results_json([peers.as_member(user) for user in shown]) + (
        f"\n\nPage {page} (showing {len(shown)} participants){more}"
    )


def _members(client: Client, chat: Object) -> list[Object]:
    """Return a chat's members in the order of the library."""
    if not peers.is_channel(chat):
        return chats.listed_members(client, chat)
    if chat.get("type") == "channel":
        chats.needs_admin(client, chat)
    return chats.members(client, chat)
