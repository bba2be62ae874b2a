"""Google Maps in a world: its data is the library's, and a world adds no rows."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"place": Rows(), "address": Rows(), "route": Rows(), "elevation": Rows(), "api_key": Rows()}
