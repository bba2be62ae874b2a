"""How the filesystem server's own rows come to be in a world."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"allowed_directory": Rows(), "setting": Rows()}
