"""The session's own files: a folder's entries, and what is in a file."""

from __future__ import annotations

import posixpath
from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import Disk, DiskError, Entry
from soundstage.contexts.engine.schema import Object
from soundstage.servers.view import Query, View

_MOST_SHOWN = 65_536  # bytes of a file
_MOST_ENTRIES = 500


def show(context: AppContext, query: Query, now: datetime) -> View:
    """`path` is the folder or file that is open; without it the topmost folder that has more than one entry."""
    disk = Disk(context)
    path = query.get("path") or _first(disk)
    try:
        path = disk.resolve(path)
        entry = disk.stat(path)
        folder = path if entry is not None and entry.kind == "directory" else posixpath.dirname(path)
        entries = disk.list(folder)
    except DiskError:
        entry, entries = None, []
    return View(
        "files.html.jinja",
        {
            "path": path,
            "way": _way(path),
            "entry": entry,
            "entries": entries[:_MOST_ENTRIES],
            "left_out": max(len(entries) - _MOST_ENTRIES, 0),
            "content": _content(disk, entry) if entry is not None and entry.kind == "file" else None,
        },
    )


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """A file, folder or link where it lies."""
    path = str(value["path"])
    return {"path": path if entity != "symlink" else posixpath.dirname(path)}


def _first(disk: Disk) -> str:
    path = "/"
    while len(entries := disk.list(path)) == 1 and entries[0].kind == "directory":
        path = entries[0].path
    return path


def _way(path: str) -> list[tuple[str, str]]:
    """The folders above a path and itself, as (name, path)."""
    names = [name for name in path.split("/") if name]
    return [("/", "/"), *((name, "/" + "/".join(names[: i + 1])) for i, name in enumerate(names))]


def _content(disk: Disk, entry: Entry) -> str | None:
    """A file's text, or its beginning; None for one that is none."""
    try:
        data = disk.read(entry.path)
    except DiskError:
        return None
    try:
        text = data[:_MOST_SHOWN].decode(errors="strict" if len(data) <= _MOST_SHOWN else "ignore")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
