"""How Context7 words what a world is made of. What it knows of libraries is the library's, not a world's."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"library": Rows(), "doc": Rows(), "server": Rows()}
