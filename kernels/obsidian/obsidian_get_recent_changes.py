"""The `obsidian_get_recent_changes` tool."""

from __future__ import annotations

from datetime import datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.obsidian.rules.errors import BAD_QUERY, RestError
from soundstage.kernels.obsidian.rules.limits import positive
from soundstage.kernels.obsidian.rules.moments import local_iso, local_now
from soundstage.kernels.obsidian.rules.query import entered
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.obsidian.rules.vault import Vault, times
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List recently changed notes with a Dataview query over `file.mtime` (`POST /search/`)."""
    limit, days = positive(arguments, "limit", 10), positive(arguments, "days", 90)
    vault = entered(context)
    if not vault.settings.get("dataview", True):
        raise RestError(BAD_QUERY, "Cannot read properties of undefined (reading 'tryQuery')")
    since = _midnight(context, vault, days)
    changed = [(times(context, note)[1], note["path"]) for note in vault.notes()]
    newest = sorted((pair for pair in changed if pair[0] >= since), key=lambda pair: -pair[0])[:limit]
    return python_json(
        [{"filename": path, "result": {"file.mtime": local_iso(moment, vault)}} for moment, path in newest]
    )


def _midnight(context: AppContext, vault: Vault, days: int) -> int:
    """Return the start of the local day `days` days ago in milliseconds, at the earliest that of the first representable day."""
    today = local_now(context, vault)
    try:
        day = today.date() - timedelta(days=days)
        return to_ms(datetime(day.year, day.month, day.day, tzinfo=today.tzinfo))
    except OverflowError:
        return -(2**63)
