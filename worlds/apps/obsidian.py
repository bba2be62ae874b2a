"""Obsidian in a world.

Each account has a vault; the files of the world's main account are `file` traces, those of others `other_file` traces.
"""

from __future__ import annotations

from typing import Any

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_MADE = fill.moment("at", "ms", as_text=False)
_STAT = fill.shape(ctime=_MADE, mtime=fill.moment("edited", "ms", as_text=False, otherwise=_MADE))


def _vault(account: str) -> dict[str, Any]:
    """Return the columns of a vault, for an account's attributes."""
    return {
        "name": fill.of(f"{account}.vault"),
        "periods_enabled": fill.always(["daily", "weekly", "monthly"]),
        "daily": fill.shape(folder=fill.of(f"{account}.daily", "Daily"), format=fill.always("YYYY-MM-DD")),
        "weekly": fill.shape(folder=fill.of(f"{account}.weekly", "Weekly"), format=fill.always("gggg-[W]ww")),
        "monthly": fill.shape(folder=fill.of(f"{account}.monthly", "Monthly"), format=fill.always("YYYY-MM")),
    }


ROWS = {
    "settings": Rows(made_from="self", columns={**_vault("person.account"), "zone": fill.of("person.zone")}),
    "other_vault": Rows(
        made_from="person", columns={"vault": fill.of("account.vault"), **_vault("account"), "zone": fill.of("zone")}
    ),
    "api_key": Rows(made_from="self", columns={"value": fill.once("key", "{hex:64}"), "valid": fill.always(True)}),
    "file": Rows(columns={"stat": _STAT}),
    "other_file": Rows(columns={"vault": fill.key("by"), "stat": _STAT}),
}
