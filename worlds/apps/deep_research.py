"""The deep-research server's rows in a world: its pages are the library's."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"page": Rows(), "api_key": Rows(), "setting": Rows()}
