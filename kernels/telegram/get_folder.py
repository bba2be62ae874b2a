"""The `get_folder` tool."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.telegram.rules import folders
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean_name, indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a chat folder with the chats that it names."""
    client = server.client()
    folder = folders.existing(client, arguments["folder_id"])
    is_shared = bool(folder.get("shared"))
    record: dict[str, Any] = {
        "id": folder["id"],
        "title": clean_name(folder.get("title")),
        "emoticon": folder.get("emoticon"),
    }
    for name, key in (("include", "included_chats"), ("exclude", "excluded_chats"), ("pinned", "pinned_chats")):
        # A shared folder excludes nothing.
        ids = [] if is_shared and name == "exclude" else folders.chat_ids(folder, name)
        record[key] = [folders.to_reply(client, chat_id, with_username=name == "include") for chat_id in ids]
    if is_shared:
        record["type"] = "shared"
    else:
        record["filters"] = {flag: bool(folder.get(flag)) for flag in folders.FLAGS}
    return indented_json(record)
