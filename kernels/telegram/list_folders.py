"""The `list_folders` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import folders
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean_name, indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the chat folders with their settings and the number of their chats."""
    listed = [_record(folder) for folder in folders.list_folders(server.client())]
    if not listed:
        return "No folders found. Create one with create_folder tool."
    return indented_json({"folders": listed, "count": len(listed)})


def _record(folder: Object) -> dict[str, Any]:
    record = {"id": folder["id"], "title": clean_name(folder.get("title")), "emoticon": folder.get("emoticon")}
    included, excluded, pinned = (len(folders.chat_ids(folder, name)) for name in ("include", "exclude", "pinned"))
    if folder.get("shared"):
        return {**record, "type": "shared", "included_peers_count": included, "pinned_peers_count": pinned}
    return {
        **record,
        **{flag: bool(folder.get(flag)) for flag in folders.FLAGS},
        "included_peers_count": included,
        "excluded_peers_count": excluded,
        "pinned_peers_count": pinned,
    }
