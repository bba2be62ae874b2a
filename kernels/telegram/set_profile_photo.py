"""The `set_profile_photo` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import files
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.times import now_iso
from soundstage.kernels.types import Arguments

_ID = "5{digits:18}"


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set a new profile picture of the account."""
    client = server.client()
    path = files.readable(client.context, "set_profile_photo", arguments["file_path"])
    photo_id = int(client.context.new_id("profile_photo", _ID))
    photo = {"id": photo_id, "user_id": client.id, "date": now_iso(client.context)}
    client.context.create("profile_photo", photo)
    return f"Profile photo updated from {path}."
