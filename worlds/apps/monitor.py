"""The monitor's rows in a world: anomalies of the machine."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"host": Rows(), "process": Rows(), "disk": Rows(), "interface": Rows()}
