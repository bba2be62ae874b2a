"""The view of the files that the server can access: everything below its allowed folders."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.filesystem.rules.roots import allowed, setting, started_with
from soundstage.servers.disk.view.files import picture_at, place_of, show_files
from soundstage.servers.view import Query, View

BESIDE = ("disk",)


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the files (`show_files`) below the allowed folders, in the machine's time zone."""
    zone = setting(context, "time_zone")
    entries = [("home", setting(context, "home")), ("time zone", zone)]
    return show_files(context.disk, query, roots=_roots(context), zone=ZoneInfo(zone), fenced=True, settings=entries)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a file, folder or symlink, or for an allowed folder as a root."""
    if entity == "allowed_directory":
        return {"path": str(value["path"])}
    return place_of(context, entity, value)


def picture(context: AppContext, query: Query) -> bytes | None:
    """Return the picture at a path (`picture_at`)."""
    return picture_at(context.disk, query)


def _roots(context: AppContext) -> list[str]:
    """Return the distinct allowed folders; invalid paths are returned unchanged."""
    try:
        return list(dict.fromkeys(allowed(context)))
    except DiskError:
        return list(dict.fromkeys(started_with(context)))
