"""Tushare in a world. The companies are the library's; a world has at most the server's token."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {"stock": Rows(), "income": Rows(), "token": Rows()}
