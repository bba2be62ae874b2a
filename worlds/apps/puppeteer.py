"""A browser in a world: its open pages, which are the library's."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {
    name: Rows(made_from=f"puppeteer_{name}")
    for name in ("page", "endpoint", "asset", "browser", "tab", "console", "screenshot")
}
