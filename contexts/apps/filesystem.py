"""The files that the filesystem server can access: the session's files below the folders of its command line."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Object

_ZONES = (
    *("UTC", "Asia/Shanghai", "Asia/Tokyo", "Europe/London", "Europe/Berlin"),
    *("America/New_York", "America/Los_Angeles"),
)


def _misfit(row: Object) -> str | None:
    """Return why a setting is invalid, or None."""
    if row.get("name") == "time_zone" and row.get("value") not in _ZONES:
        return f"the time zone {row.get('value')!r} is unknown; known: {', '.join(_ZONES)}"
    if row.get("name") == "home" and not str(row.get("value") or "").startswith("/"):
        return f"the home {row.get('value')!r} is not an absolute path"
    return None


TABLES = AppTables("filesystem", disk=True)
TABLES.disk_view("file", text="content")
TABLES.disk_view("directory", "directory")
TABLES.disk_view("symlink", "symlink")

# The folders on the server's command line, in order; by default only /srv/workspace. They always exist.
ALLOWED_DIRECTORY = TABLES.entity("allowed_directory", Column("path", Text, primary_key=True))

# Settings of the server's machine: `home` (/home/agent) is the meaning of `~`, `time_zone` (UTC) applies to timestamps.
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
