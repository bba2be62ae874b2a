"""A browser in a world: its open pages, recordings and expected responses. Its pages are the library's."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

_NAMES = ("page", "endpoint", "asset", "browser", "tab", "console", "screenshot", "codegen_session", "response_wait")

ROWS = {name: Rows(made_from=f"playwright_{name}") for name in _NAMES}
