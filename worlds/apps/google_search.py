"""Google search in a world: its pages are the library's, and what a key may do is the default."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"page": Rows(), "api_key": Rows()}
