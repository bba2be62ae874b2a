"""The `delete_profile_photo` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import photos
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete the account's newest profile picture."""
    client = server.client()
    newest = photos.of(client, client.id)[:1]
    if not newest:
        return "No profile photo to delete."
    client.context.delete("profile_photo", newest[0]["id"])
    return "Profile photo deleted."
