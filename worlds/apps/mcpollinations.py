"""How the rows of MCPollinations come to be in a world: what the service refuses, and what the server was started with."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"service": Rows(), "setting": Rows()}
