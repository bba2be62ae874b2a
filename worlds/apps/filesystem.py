"""The filesystem server's own rows in a world."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"allowed_directory": Rows(), "setting": Rows()}
