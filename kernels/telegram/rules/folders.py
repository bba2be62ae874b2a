"""Chat folders, which Telegram calls dialog filters.

Source of the refusals: https://core.telegram.org/method/messages.updateDialogFilter
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules import peers, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.library import input_peer
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import clean_name

KINDS = ("contacts", "non_contacts", "groups", "broadcasts", "bots")
"""The kinds of chats that a folder can include as a whole."""

FLAGS = (*KINDS, "exclude_muted", "exclude_read", "exclude_archived")


def list_folders(client: Client) -> list[Object]:
    """Return the folders in their order; folders added after the last reordering come last."""
    rows = client.own_rows.list("folder")
    placed = [row for row in rows if row.get("position") is not None]
    return sorted(placed, key=lambda row: int(row["position"])) + [r for r in rows if r.get("position") is None]


def of_id(client: Client, folder_id: int) -> Object | None:
    """Return the folder with an id, which may be any number."""
    return next((folder for folder in list_folders(client) if folder["id"] == folder_id), None)


def existing(client: Client, folder_id: int) -> Object:
    """Return the folder with an id.

    Raises:
        Refusal: No folder has this id.
    """
    folder = of_id(client, folder_id)
    if folder is None:
        text = f"Folder with ID {folder_id} not found. Use list_folders to see available folders."
        raise Refusal("not_found", text)
    return folder


def chat_ids(folder: Object, name: str) -> list[int]:
    """Return the chats that a folder names: `include`, `exclude` or `pinned`."""
    return list(folder.get(f"{name}_chat_ids") or ())


def resolve_chat(client: Client, reference: Reference) -> int:
    """Return the marked id of a chat for a folder; `known` checks later that a basic group exists.

    Raises:
        Refusal: The reference is invalid; the text contains the library's error or the question to the user.
    """
    try:
        return resolve.input_peer(client, reference)
    except AppError as error:
        raise Refusal("not_found", f"Failed to resolve chat '{reference}': {error.message}") from None


def needs_content(folder: Object) -> None:
    """Require that a folder includes something.

    Raises:
        Failed: FILTER_INCLUDE_EMPTY.
    """
    named = chat_ids(folder, "include") or chat_ids(folder, "pinned")
    if not named and not any(folder.get(kind) for kind in KINDS):
        raise Failed("FILTER_INCLUDE_EMPTY")


def to_reply(client: Client, chat_id: int, *, with_username: bool) -> dict[str, Any]:
    """Return a chat of a folder as `{id, name, type, username?}`.

    A chat that is out of reach is shown as the library's peer.
    """
    try:
        peer = resolve.get_entity(client, chat_id)
    except Failed:
        return {"id": str(input_peer(chat_id)), "name": "Unknown", "type": "Unknown"}
    record = {"id": peer["id"], "name": clean_name(peers.short_name(peer)), "type": peers.type_of(peer)}
    if with_username and peer.get("username"):
        record["username"] = peer["username"]
    return record
