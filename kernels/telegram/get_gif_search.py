"""The `get_gif_search` tool."""

from __future__ import annotations

import json

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, resolve, tl_media, wire
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.types import Arguments

_WHERE = "gif"


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return ids of GIFs.

    The library no longer has the request for GIFs, so the server searches the account's chat with the user @gif
    instead.
    """
    client, limit = server.client(), arguments["limit"]
    try:
        peer = resolve.input_entity(client, _WHERE)
        wire.fits(limit)
    except Failed as failure:
        raise Refusal("not_found", f"Could not search GIFs using available methods: {failure.message}") from None
    hits = history.matching(history.newest(client, peer["id"]), arguments["query"])
    gifs = [gif for message in hits if (gif := _gif(client, message)) is not None]
    return json.dumps([gif["id"] for gif in gifs[: max(limit, 0)]])


def _gif(client: Client, message: Object) -> Object | None:
    media = tl_media.row_of(client, message)
    return media if media is not None and media.get("kind") == "gif" else None
