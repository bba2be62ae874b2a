"""MCPollinations' rows in a world: outages of the service, and the server's settings."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"service": Rows(), "setting": Rows()}
