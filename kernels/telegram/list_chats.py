"""The `list_chats` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import dialogs, peers
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, clean_name, results_json
from soundstage.kernels.types import Arguments

_LONGEST_ABOUT = 200


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the list of chats with type and unread count, narrowed by filters."""
    client = server.client()
    wanted = (arguments["chat_type"] or "").lower()
    # The limit applies before the filters, which narrow what was fetched.
    fetched = dialogs.list_dialogs(client, archived=arguments["archived"])[: max(arguments["limit"], 0)]
    records = [
        _record(dialog, peer, with_about=arguments["with_about"])
        for dialog, peer in fetched
        if (not wanted or peers.filter_type_of(peer) == wanted)
        and not (arguments["unmuted_only"] and dialog.get("muted"))
        and not (arguments["unread_only"] and not dialog.get("unread_count") and not dialog.get("unread_mark"))
    ]
    return results_json(records) if records else "No chats found matching the criteria."


def _record(dialog: Object, peer: Object, *, with_about: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"chat_id": peer["id"]}
    if peers.is_user(peer):
        record["name"] = peers.name_in_list(peer)
    else:
        record["title"] = clean_name(peer.get("title"))
    record["type"] = peers.type_of(peer)
    if peer.get("username"):
        record["username"] = peer["username"]
    record["unread"] = dialog.get("unread_count", 0)
    if dialog.get("unread_mark"):
        record["unread_mark"] = True
    record["muted"] = bool(dialog.get("muted"))
    record["archived"] = bool(dialog.get("archived"))
    if dialog.get("unread_mentions_count"):
        record["unread_mentions"] = dialog["unread_mentions_count"]
    if with_about:
        record["about"] = clean(peer.get("about"), _LONGEST_ABOUT)
    return record
