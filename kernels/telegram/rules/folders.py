"""Chat folders, which Telegram calls dialog filters.

Source of the refusals: https://core.telegram.org/method/messages.updateDialogFilter
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules import peers, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.library import input_peer
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import clean_name

KINDS = ("contacts", "non_contacts", "groups", "broadcasts", "bots")
"""The kinds of chats that a folder may take in as a whole."""

FLAGS = (*KINDS, "exclude_muted", "exclude_read", "exclude_archived")


def listed(client: Client) -> list[Object]:
    """The folders in their order; one that was added after somebody ordered them comes last."""
    rows = client.mine.list("folder")
    placed = [row for row in rows if row.get("position") is not None]
    return sorted(placed, key=lambda row: int(row["position"])) + [r for r in rows if r.get("position") is None]


def of_id(client: Client, folder_id: int) -> Object | None:
    """The folder of an id, which may be any number."""
    return next((folder for folder in listed(client) if folder["id"] == folder_id), None)


def found(client: Client, folder_id: int) -> Object:
    """The folder of an id.

    Raises:
        Said: when there is none.
    """
    folder = of_id(client, folder_id)
    if folder is None:
        text = f"Folder with ID {folder_id} not found. Use list_folders to see available folders."
        raise Said("not_found", text)
    return folder


def chat_ids(folder: Object, name: str) -> list[int]:
    """The chats of a folder that it names: `include`, `exclude` or `pinned`."""
    return list(folder.get(f"{name}_chat_ids") or ())


def resolved(client: Client, reference: Reference) -> int:
    """The marked id of a chat for a folder, which may be a basic group's that is not there (`known` comes later).

    Raises:
        Said: with the library's error, or the question to the user, in it.
    """
    try:
        return resolve.input_peer(client, reference)
    except AppError as error:
        raise Said("not_found", f"Failed to resolve chat '{reference}': {error.message}") from None


def needs_content(folder: Object) -> None:
    """Refuse a folder that takes in nothing.

    Raises:
        Failed: FILTER_INCLUDE_EMPTY.
    """
    named = chat_ids(folder, "include") or chat_ids(folder, "pinned")
    if not named and not any(folder.get(kind) for kind in KINDS):
        raise Failed("FILTER_INCLUDE_EMPTY")


def shown(client: Client, chat_id: int, *, with_username: bool) -> dict[str, Any]:
    """A chat of a folder: {id, name, type, username?}; one that is out of reach is shown as the library's peer."""
    try:
        peer = resolve.get_entity(client, chat_id)
    except Failed:
        return {"id": str(input_peer(chat_id)), "name": "Unknown", "type": "Unknown"}
    record = {"id": peer["id"], "name": clean_name(peers.short_name(peer)), "type": peers.type_of(peer)}
    if with_username and peer.get("username"):
        record["username"] = peer["username"]
    return record
