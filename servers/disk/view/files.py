"""A file manager's view of a disk: the folder tree, the open folder, and the open file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import Disk, DiskError, Entry
from soundstage.contexts.engine.schema import Object
from soundstage.servers.pictures import media_type
from soundstage.servers.view import Query, View

FILES = "disk/view/files.html.jinja"

_MOST_SHOWN = 65_536  # bytes of a file
_MOST_ENTRIES, _MOST_BRANCHES = 500, 200
_MOST_DEPTH = 12  # maximum indentation of the tree


@dataclass(frozen=True, slots=True)
class Branch:
    """A folder in the tree."""

    path: str
    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of a folder.

    `leads_to` is the target of a symlink; None for broken symlinks and other entries. `inside` is true if the entry, with
    symlinks resolved, is below one of the roots.
    """

    entry: Entry
    leads_to: Entry | None
    inside: bool


def show_files(
    disk: Disk, query: Query, *, roots: Sequence[str], zone: tzinfo = UTC, fenced: bool = False, **more: Any
) -> View:
    """Show the open file or folder and the tree.

    The query's `path` is the open folder or file. The default is the first root, or below "/" the topmost folder that does not
    contain just one folder. The tree starts with `roots`, which always exist; `fenced` notes that the app has no access outside
    of them. `more` are additional values for the template.
    """
    path = query.get("path") or (_first(disk) if list(roots) == ["/"] else roots[0])
    requested = path
    entry: Entry | None = None
    listed: list[Listed] = []
    left_out = 0
    try:
        path = disk.resolve(path)
        entry = disk.stat(path)
        folder = path if entry is None or entry.kind == "directory" else posixpath.dirname(path)
        if entry is None and path not in roots:
            folder = posixpath.dirname(path)
        listed, left_out = _listed(disk, folder, roots)
    except DiskError:
        folder = path
    content = None if entry is None or entry.kind != "file" else _content(disk, entry)
    data = {
        "path": path,
        "asked": requested,
        "folder": folder,
        "way": _way(folder),
        "tree": list(_tree(disk, roots, folder)),
        "fenced": fenced,
        "outside": fenced and not _below(path, roots),
        "entry": entry,
        "listed": listed,
        "left_out": left_out,
        "size": _size_text(entry.size) if entry else "",
        "told": _size_text,
        "content": content if isinstance(content, str) else None,
        "is_picture": isinstance(content, bytes),
        "is_root": path in roots,
    }
    return View(FILES, data | more, zone)


def place_of(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a file or folder, or for a symlink's folder."""
    if entity not in ("file", "directory", "symlink"):
        return None
    path = str(value["path"])
    return {"path": path if entity != "symlink" else posixpath.dirname(path)}


def picture_at(disk: Disk, query: Query) -> bytes | None:
    """Return the content of the file at `path`, or None."""
    try:
        return disk.read(query.get("path", ""))
    except DiskError:
        return None


def _first(disk: Disk) -> str:
    path = "/"
    while len(inside := disk.names(path)) == 1 and next(iter(inside.values())) == "directory":
        path = posixpath.join(path, next(iter(inside)))
    return path


def _listed(disk: Disk, folder: str, roots: Sequence[str]) -> tuple[list[Listed], int]:
    """Return the entries of a folder, folders first, and the number of omitted ones.

    Raises:
        DiskError: The path is not a folder.
    """
    names = sorted(disk.names(folder).items(), key=lambda item: (item[1] != "directory", item[0]))
    results: list[Listed] = []
    for name, _ in names[:_MOST_ENTRIES]:
        entry = disk.stat(posixpath.join(folder, name), follow=False)
        if entry is not None:
            results.append(_one(disk, entry, roots))
    return results, max(len(names) - _MOST_ENTRIES, 0)


def _one(disk: Disk, entry: Entry, roots: Sequence[str]) -> Listed:
    if entry.kind != "symlink":
        return Listed(entry, None, _below(entry.path, roots))
    try:
        place = disk.resolve(entry.path)
        return Listed(entry, disk.stat(place), _below(place, roots))
    except DiskError:
        return Listed(entry, None, True)


def _tree(disk: Disk, roots: Sequence[str], folder: str) -> Iterator[Branch]:
    """Yield the roots and the folders on the path to the open folder, with their siblings."""
    left = _MOST_BRANCHES
    waiting = [Branch(root, root, 0) for root in reversed(roots)]
    while waiting and left:
        branch = waiting.pop()
        yield branch
        left -= 1
        if folder == branch.path or folder.startswith(branch.path.rstrip("/") + "/"):
            names = _folders(disk, branch.path)
            depth = min(branch.depth + 1, _MOST_DEPTH)
            waiting += [Branch(posixpath.join(branch.path, name), name, depth) for name in reversed(names)]


def _folders(disk: Disk, path: str) -> list[str]:
    try:
        return [name for name, kind in disk.names(path).items() if kind == "directory"]
    except DiskError:
        return []


def _below(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def _way(path: str) -> list[tuple[str, str]]:
    """Return the folders above a path and the path itself, as (name, path)."""
    names = [name for name in path.split("/") if name]
    return [("/", "/"), *((name, "/" + "/".join(names[: i + 1])) for i, name in enumerate(names))]


def _size_text(size: int) -> str:
    """Format a size with binary units."""
    if size < 1024:
        return f"{size} B"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1024
        if amount < 1024 or unit == "GB":
            return f"{amount:,.1f} {unit}"
    raise AssertionError("a size has a unit")


def _content(disk: Disk, entry: Entry) -> str | bytes | None:
    """Return the beginning of a text file, the bytes of a picture, or None for other files."""
    try:
        data = disk.read(entry.path)
    except DiskError:
        return None
    if media_type(data) is not None:
        return data
    try:
        text = data[:_MOST_SHOWN].decode(errors="strict" if len(data) <= _MOST_SHOWN else "ignore")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
