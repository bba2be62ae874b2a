"""Google search in a world: its pages are the library's, and the key has its default."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"page": Rows(), "api_key": Rows()}
