"""Where a world's entities read that the library backs: for whoever gives a world facts of its own."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"source": Rows()}
