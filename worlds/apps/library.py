"""Where a world's library-backed entities read, for worlds with facts of their own."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"source": Rows()}
