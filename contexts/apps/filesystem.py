"""The files that the filesystem server reaches: the session's own, below the folders that it was started with."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Object

_ZONES = (
    *("UTC", "Asia/Shanghai", "Asia/Tokyo", "Europe/London", "Europe/Berlin"),
    *("America/New_York", "America/Los_Angeles"),
)


def _misfit(row: Object) -> str | None:
    """What of a setting no machine has."""
    if row.get("name") == "time_zone" and row.get("value") not in _ZONES:
        return f"the time zone {row.get('value')!r} is none of {', '.join(_ZONES)}"
    if row.get("name") == "home" and not str(row.get("value") or "").startswith("/"):
        return f"the home {row.get('value')!r} is no absolute path"
    return None


TABLES = AppTables("filesystem", disk=True)
TABLES.disk_view("file", text="content")
TABLES.disk_view("directory", "directory")
TABLES.disk_view("symlink", "symlink")

# The folders on the server's command line, in their order; /srv/workspace alone where none is told. They are always there.
ALLOWED_DIRECTORY = TABLES.entity("allowed_directory", Column("path", Text, primary_key=True))

# Of the machine that the server runs on: `home` (/home/agent) is what `~` means, `time_zone` (UTC) that of the moments it tells.
SETTING = TABLES.entity(
    "setting",
    Column("name", Text, primary_key=True),
    Column("value", Text),
    misfit=_misfit,
)

MEANING = Meaning(
    text={
        "allowed_directory": lambda row: row["path"],
        "setting": lambda row: f"{row['name']}: {row.get('value') or ''}",
    }
)
