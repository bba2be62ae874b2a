"""The source of a world's library-backed entities, for worlds that replace the library's facts."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"source": Rows()}
