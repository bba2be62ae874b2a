"""How Medical MCP words what a world is made of: a world may add what the sources hold."""

from __future__ import annotations

from soundstage.contexts.apps.medical import TABLES
from soundstage.worlds.builder.wording import Rows

ROWS = {entity: Rows() for entity in TABLES.entities}
