"""How the monitor's rows come to be in a world: what of the machine is not as usual."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"host": Rows(), "process": Rows(), "disk": Rows(), "interface": Rows()}
