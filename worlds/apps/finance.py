"""Finance Agent in a world. Its quotes are the library's."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"quote": Rows(), "server": Rows()}
