"""The `get_user_photos` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers, photos, resolve, wire
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the ids of a user's profile pictures, newest first."""
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    person = peers.as_user(resolve.entity(client, user_id))
    wire.fits(arguments["limit"])
    pictures = photos.of(client, person["id"])
    return indented_json([photo["id"] for photo in pictures[: max(arguments["limit"], 0)]])
