"""The `create_folder` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import folders, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments

_MOST = 10
_FIRST_ID = 2


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Create a chat folder.

    `chat_ids` are not validated: a text of digits is a phone number.
    """
    client = server.client()
    taken = {folder["id"] for folder in folders.list_folders(client)}
    if len(taken) >= _MOST:
        raise Refusal("limit", "Cannot create folder: Telegram limit is 10 folders. Delete one first.")
    folder_id = next(number for number in range(_FIRST_ID, _FIRST_ID + _MOST + 1) if number not in taken)
    title, emoticon = arguments["title"], arguments["emoticon"]
    chat_ids = [folders.resolve_chat(client, reference) for reference in arguments["chat_ids"] or ()]
    if not title.strip():
        raise Failed("FILTER_TITLE_EMPTY")
    folder: Object = {
        "title": title,
        **({} if emoticon is None else {"emoticon": emoticon}),
        "include_chat_ids": list(dict.fromkeys(resolve.known(client, chat_id)["id"] for chat_id in chat_ids)),
        **{flag: True for flag in folders.FLAGS if arguments[flag]},
    }
    folders.needs_content(folder)
    client.own_rows.create("folder", {"id": folder_id}, folder)
    made = {"success": True, "folder_id": folder_id, "title": title, "emoticon": emoticon}
    return indented_json({**made, "included_chats_count": len(chat_ids)})
