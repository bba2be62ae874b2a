"""How DeepSeek's rows come to be in a world: accounts, models, and what the server remembers."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"conversation": Rows(), "api_key": Rows(), "account": Rows(), "model": Rows(), "setting": Rows()}
