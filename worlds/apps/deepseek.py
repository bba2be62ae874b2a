"""DeepSeek's rows in a world: accounts, models, and the server's conversations."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"conversation": Rows(), "api_key": Rows(), "account": Rows(), "model": Rows(), "setting": Rows()}
