"""The `get_sticker_sets` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean_name, indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the titles of the sticker sets that the account has installed."""
    return indented_json([clean_name(row.get("title")) for row in server.client().own_rows.list("sticker_set")])
