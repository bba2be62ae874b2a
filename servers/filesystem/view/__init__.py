"""The machine's files as the filesystem server reaches them: below the folders that it was started with, and no farther."""

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
    """See `show_files`; the roots are the allowed folders, and times are of the machine's zone."""
    zone = setting(context, "time_zone")
    told = [("home", setting(context, "home")), ("time zone", zone)]
    return show_files(context.disk, query, roots=_roots(context), zone=ZoneInfo(zone), fenced=True, settings=told)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Files, folders and links where they lie, and an allowed folder as one of the roots."""
    if entity == "allowed_directory":
        return {"path": str(value["path"])}
    return place_of(context, entity, value)


def picture(context: AppContext, query: Query) -> bytes | None:
    """See `picture_at`."""
    return picture_at(context.disk, query)


def _roots(context: AppContext) -> list[str]:
    """The allowed folders, each once; those that are no path as they were told."""
    try:
        return list(dict.fromkeys(allowed(context)))
    except DiskError:
        return list(dict.fromkeys(started_with(context)))
