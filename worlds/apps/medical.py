"""The medical sources in a world, which may add to their contents."""

from __future__ import annotations

from soundstage.contexts.apps.medical import TABLES
from soundstage.worlds.builder.wording import Rows

ROWS = {entity: Rows() for entity in TABLES.entities}
