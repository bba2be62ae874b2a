"""Google Maps' rows: what it tells is the library's, and a world has none of its own."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"place": Rows(), "address": Rows(), "route": Rows(), "elevation": Rows(), "api_key": Rows()}
