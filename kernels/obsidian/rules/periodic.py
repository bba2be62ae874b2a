"""Periodic notes: the note of the current day, week, month, quarter or year (obsidian-daily-notes-interface 0.9.4)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.obsidian.rules.errors import NO_PERIODIC_NOTE, NO_SUCH_PERIOD, NOT_ENABLED, RestError
from soundstage.kernels.obsidian.rules.moments import formatted, local_now
from soundstage.kernels.obsidian.rules.vault import Vault

_FORMATS = {
    "daily": "YYYY-MM-DD",
    "weekly": "gggg-[W]ww",
    "monthly": "YYYY-MM",
    "quarterly": "YYYY-[Q]Q",
    "yearly": "YYYY",
}


def current(context: AppContext, vault: Vault, period: str) -> Object:
    """Return the current note of a period, by the local day.

    The note may be anywhere below the period's folder; only its name counts.

    Raises:
        RestError: The period does not exist, is disabled, or has no note yet.
    """
    if period not in _FORMATS:
        raise RestError(NO_SUCH_PERIOD)
    if period not in vault.settings.get("periods_enabled", ()):
        raise RestError(NOT_ENABLED)
    settings = vault.settings.get(period, {})
    name = formatted(local_now(context, vault), (settings.get("format") or _FORMATS[period]).split("/")[-1])
    folder = (settings.get("folder") or "").strip("/")
    notes = [
        file
        for file in vault.files()
        if _base_name(file["path"]) == name and (not folder or file["path"].startswith(f"{folder}/"))
    ]
    if not notes:
        raise RestError(NO_PERIODIC_NOTE)
    return notes[-1]


def _base_name(path: str) -> str:
    """Return a file's name without folders and extension."""
    name = path.split("/")[-1]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name
