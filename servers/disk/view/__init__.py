"""The view of the session's disk, which all apps share."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import Disk
from soundstage.servers.disk.view.files import picture_at, show_files
from soundstage.servers.disk.view.files import place_of as place
from soundstage.servers.view import Query, View

__all__ = ["picture", "place", "show"]


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the files (`show_files`)."""
    return show_files(Disk(context), query, roots=["/"])


def picture(context: AppContext, query: Query) -> bytes | None:
    """Return the picture at a path (`picture_at`)."""
    return picture_at(Disk(context), query)
