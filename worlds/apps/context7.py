"""Context7 in a world. Its libraries are those of the fact library."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"library": Rows(), "doc": Rows(), "server": Rows()}
