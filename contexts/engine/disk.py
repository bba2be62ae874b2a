"""The files of the session's own machine: tables that several apps read and write (attachments, uploads, downloads).

They belong to the context like an app's objects: to state, tree, receipts, diff, reset and fork. A context has them, under the
name `disk`, if one of its apps declares that it uses the disk (`AppTables(…, disk=True)`). Nothing here touches the real disk.

Paths are absolute POSIX paths. Folders above a file exist without a row; a `directory` row is an explicitly
created folder, which remains when it is empty.
"""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.clock import END_MS, from_ms, to_ms
from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import ABSENT, AppTables, Object

if TYPE_CHECKING:
    from soundstage.contexts.engine.app_context import AppContext

NAME = "disk"

MAX_FILE = 8 * 1024 * 1024
"""How many bytes a file may have that is read or written. For all of them together the session's own limit holds."""
_MAX_PATH, _MAX_NAME, _MAX_LINKS = 4096, 255, 40  # Linux's own

FILE_MODE, DIRECTORY_MODE, LINK_MODE = "644", "755", "777"
"""The default permissions. Permissions are stored and shown but not enforced."""
_MODE = re.compile(r"[0-7]{3}")
_MOMENTS = ("created", "modified", "accessed")

Code = Literal["ENOENT", "EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY", "EFBIG", "EINVAL", "ENAMETOOLONG", "ELOOP"]


Kind = Literal["file", "directory", "symlink"]
_KINDS: tuple[Kind, ...] = ("file", "symlink", "directory")
_MODES: dict[Kind, str] = {"file": FILE_MODE, "directory": DIRECTORY_MODE, "symlink": LINK_MODE}


class DiskError(Exception):
    """An error as an operating system reports it: its POSIX `code`, and the `path` as given. Apps word the message."""

    def __init__(self, code: Code, path: str) -> None:
        super().__init__(f"{code}: {path}")
        self.code: Code = code
        self.path = path


def content(row: Object) -> bytes:
    """Return the content of a `file` row. An object from outside may have null for unknown values.

    Raises:
        ValueError: its base64 is invalid.
    """
    if row.get("base64") is not None:
        return base64.b64decode(row["base64"], validate=True)
    return bytes(_size(row)) if row.get("text") is None else str(row["text"]).encode()


def _misfit(row: Object) -> str | None:
    """Return why a `file`, `directory` or `symlink` from outside cannot be stored, with the valid form, or None."""
    path = row.get("path")
    if path is None:
        return None  # missing keys are reported for every entity alike
    try:
        if (normal := _normal(path)) != path:
            return f"the path {path!r} is to be written as {normal!r}"
    except DiskError as error:
        return f"the path {path!r} is refused ({error.code}); write an absolute one such as /home/agent/report.txt"
    wrong = next((name for name in _MOMENTS if not 0 <= (row.get(name) or 0) <= END_MS), None)
    if wrong is not None or (row.get("size") or 0) < 0:
        return f"{wrong or 'size'} is out of range; times are milliseconds since 1970, up to the year 9999"
    if row.get("mode") is not None and not _MODE.fullmatch(row["mode"]):
        return f"the mode {row['mode']!r} is to be three octal digits such as {FILE_MODE}"
    if row.get("text") is not None and row.get("base64") is not None:
        return "has both text and base64; one of them is its content"
    try:
        data = content({**row, "size": 0})
    except ValueError:
        return "its base64 is invalid"
    return (
        None
        if len(data) <= MAX_FILE
        else f"has {len(data)} bytes; a file whose content is given has at most {MAX_FILE}"
    )


def _size(row: Object) -> int:
    if row.get("base64") is not None:
        encoded = str(row["base64"])
        return len(encoded) // 4 * 3 - encoded[-2:].count("=")
    return int(row.get("size") or 0) if row.get("text") is None else len(str(row["text"]).encode())


def _normal(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        raise DiskError("EINVAL", path)
    if len(path.encode()) > _MAX_PATH or any(len(name.encode()) > _MAX_NAME for name in path.split("/")):
        raise DiskError("ENAMETOOLONG", path)
    return posixpath.normpath("/" + path.lstrip("/"))


TABLES = AppTables(NAME)

# The content of a file is in `text`, or in `base64` if it is not UTF-8. If the content is unknown, `size` is the number of
# bytes, which read as zeros. Times are milliseconds since 1970 and default to the session's time. `accessed` comes from the
# state alone: reading does not change it, as on a disk mounted with noatime.
FILE = TABLES.entity(
    "file",
    Column("path", Text, primary_key=True),
    Column("text", Text),
    Column("base64", Text),
    Column("size", Integer),
    Column("created", Integer),
    Column("modified", Integer),
    Column("accessed", Integer),
    Column("mode", Text),
    misfit=_misfit,
)
DIRECTORY = TABLES.entity(
    "directory",
    Column("path", Text, primary_key=True),
    Column("created", Integer),
    Column("modified", Integer),
    Column("accessed", Integer),
    Column("mode", Text),
    misfit=_misfit,
)
SYMLINK = TABLES.entity(
    "symlink",
    Column("path", Text, primary_key=True),
    Column("target", Text),
    Column("created", Integer),
    misfit=_misfit,
)

MEANING = Meaning(
    automatic={name: frozenset(_MOMENTS) for name in TABLES.entities},
    text={"file": lambda row: str(row.get("text") or row["path"])},
)


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry at a path.

    `size` is in bytes, and 0 unless it is a file; `mode` is the permissions as three octal digits; `target` is the destination
    of a symlink.
    """

    path: str
    kind: Kind
    size: int
    created: datetime
    modified: datetime
    accessed: datetime
    mode: str
    target: str | None = None

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return posixpath.basename(self.path)


class Disk:
    """The session's files, as kernels see them.

    Symlinks are followed, except by methods that operate on the link itself. `..` is resolved in the text of a path, as in
    Node's and Python's path libraries. Every method raises `DiskError` with `EINVAL` if the path is not absolute, and with
    `ENAMETOOLONG` and `ELOOP` as Linux does.
    """

    def __init__(self, rows: AppContext) -> None:
        self._rows = rows

    def stat(self, path: str, *, follow: bool = True) -> Entry | None:
        """Return the entry at a path, or None. Without `follow` a symlink is returned as such."""
        place = self.resolve(path) if follow else self._parent_resolved(path)
        return self._at(place)

    def read(self, path: str) -> bytes:
        """A file's content.

        Raises:
            DiskError: ENOENT, EISDIR, EFBIG.
        """
        place = self.resolve(path)
        if (row := self._rows.get("file", place)) is None:
            raise DiskError("EISDIR" if self._is_directory(place) else "ENOENT", path)
        if _size(row) > MAX_FILE:
            raise DiskError("EFBIG", path)
        return content(row)

    def write(self, path: str, data: bytes) -> None:
        """Create a file or replace its content; missing folders above it are created.

        Raises:
            DiskError: EISDIR, ENOTDIR (a file is in place of a parent folder), EFBIG.
        """
        place = self.resolve(path)
        if self._is_directory(place):
            raise DiskError("EISDIR", path)
        self._check_above(place, path)
        if len(data) > MAX_FILE:
            raise DiskError("EFBIG", path)
        now_ms = self._now_ms()
        if self._rows.get("file", place) is None:
            self._rows.create("file", {"path": place, **_content_columns(data), "created": now_ms, "modified": now_ms})
        else:
            changes = {"text": ABSENT, "base64": ABSENT, "size": ABSENT, **_content_columns(data), "modified": now_ms}
            self._rows.update("file", place, changes)

    def replace(self, path: str, data: bytes) -> None:
        """Replace a file as programs do that write a temporary file and rename it.

        The new file is as old as its content, and has the permissions of the file that it replaces.

        Raises:
            DiskError: ENOENT, EISDIR, EFBIG.
        """
        place = self.resolve(path)
        before = self._rows.get("file", place)
        if before is None:
            raise DiskError("EISDIR" if self._is_directory(place) else "ENOENT", path)
        if len(data) > MAX_FILE:
            raise DiskError("EFBIG", path)
        now_ms = self._now_ms()
        preserved = dict.fromkeys(("text", "base64", "size", "accessed"), ABSENT)
        self._rows.update("file", place, {**preserved, **_content_columns(data), "created": now_ms, "modified": now_ms})

    def make_directory(self, path: str) -> None:
        """Make a folder, and those above it.

        Raises:
            DiskError: EEXIST where a file is, ENOTDIR where one is above.
        """
        place = self.resolve(path)
        self._check_above(place, path)
        if self._rows.get("file", place) is not None:
            raise DiskError("EEXIST", path)
        if not self._is_directory(place):
            now_ms = self._now_ms()
            self._rows.create("directory", {"path": place, "created": now_ms, "modified": now_ms})

    def make_link(self, path: str, target: str) -> None:
        """Make a symlink; whether anything is at its target does not matter.

        Raises:
            DiskError: EEXIST, ENOTDIR.
        """
        place = self._parent_resolved(path)
        self._check_above(place, path)
        if self._at(place) is not None:
            raise DiskError("EEXIST", path)
        self._rows.create("symlink", {"path": place, "target": target, "created": self._now_ms()})

    def list(self, path: str) -> list[Entry]:
        """Return the entries of a folder by name, without following symlinks.

        Raises:
            DiskError: ENOENT, ENOTDIR.
        """
        place = self.resolve(path)
        start = "/" if place == "/" else place + "/"
        entries = (self._at(start + name) for name in self.names(path))
        return [entry for entry in entries if entry is not None]

    def names(self, path: str) -> dict[str, Kind]:
        """Return the names and kinds in a folder without reading file contents or following symlinks.

        Raises:
            DiskError: ENOENT, ENOTDIR.
        """
        place = self.resolve(path)
        if not self._is_directory(place):
            raise DiskError("ENOENT" if self._at(place) is None else "ENOTDIR", path)
        start = "/" if place == "/" else place + "/"
        kinds: dict[str, Kind] = {}
        for kind in _KINDS:
            for (below,) in self._rows.keys(kind, _between(place)):
                name, _, deeper = str(below)[len(start) :].partition("/")
                kinds[name] = "directory" if deeper else kind
        return dict(sorted(kinds.items()))

    def remove(self, path: str, *, below: bool = False) -> None:
        """Remove a file, a symlink or an empty folder; with `below` a folder with all that is in it.

        Raises:
            DiskError: ENOENT, ENOTEMPTY.
        """
        place = self._parent_resolved(path)
        if (entry := self._at(place)) is None:
            raise DiskError("ENOENT", path)
        inside = list(self._below(place)) if entry.kind == "directory" else []
        if inside and not below:
            raise DiskError("ENOTEMPTY", path)
        for one in (*inside, place):
            for kind in TABLES.entities:
                self._rows.delete(kind, one)
        self._keep_folder(place)

    def move(self, path: str, to: str) -> None:
        """Move a file, symlink or folder to another path. A file replaces an existing file.

        Raises:
            DiskError: ENOENT; EISDIR, ENOTDIR or ENOTEMPTY if it cannot replace the target; EINVAL if moved into itself.
        """
        place, goal = self._parent_resolved(path), self._parent_resolved(to)
        entry, there = self._at(place), self._at(goal)
        if entry is None:
            raise DiskError("ENOENT", path)
        if place == goal:
            return
        if goal.startswith(place + "/"):
            raise DiskError("EINVAL", to)
        self._check_above(goal, to)
        if there is not None:
            if (there.kind == "directory") != (entry.kind == "directory"):
                raise DiskError("EISDIR" if there.kind == "directory" else "ENOTDIR", to)
            self.remove(goal)  # of a folder only an empty one gives way
        moved = [place, *self._below(place)] if entry.kind == "directory" else [place]
        for one in moved:
            for kind in TABLES.entities:
                if (row := self._rows.get(kind, one)) is not None:
                    self._rows.delete(kind, one)
                    self._rows.create(kind, {**row, "path": goal + one[len(place) :]})
        if entry.kind == "directory" and not self._is_directory(goal):
            self.make_directory(goal)
        self._keep_folder(place)

    def resolve(self, path: str) -> str:
        """A path without `.`, `..`, doubled slashes and symlinks, whether or not anything is there.

        Raises:
            DiskError: ELOOP.
        """
        place, links = _normal(path), 0
        names = place.split("/")[1:] if place != "/" else []
        done = ""
        while names:
            step = f"{done}/{names.pop(0)}"
            link = self._rows.get("symlink", step)
            if link is None:
                done = step
                continue
            links += 1
            if links > _MAX_LINKS:
                raise DiskError("ELOOP", path)
            target = posixpath.normpath(posixpath.join(done or "/", str(link["target"])))
            names = [*(n for n in target.split("/") if n), *names]
            done = ""
        return done or "/"

    def _parent_resolved(self, path: str) -> str:
        """A path whose folder is resolved, while its last name may be a symlink's."""
        above, name = posixpath.split(_normal(path))
        return posixpath.join(self.resolve(above), name) if name else "/"

    def _at(self, place: str) -> Entry | None:
        if (row := self._rows.get("file", place)) is not None:
            return self._entry(row, "file", _size(row))
        if (row := self._rows.get("symlink", place)) is not None:
            return self._entry(row, "symlink", 0)
        row = self._rows.get("directory", place)
        if row is not None or self._is_directory(place):
            return self._entry(row or {"path": place}, "directory", 0)
        return None

    def _entry(self, row: Object, kind: Kind, size: int) -> Entry:
        created = int(row.get("created", self._now_ms()))
        modified = int(row.get("modified", created))
        accessed = int(row.get("accessed", modified))
        mode = row.get("mode", _MODES[kind])
        moments = from_ms(created), from_ms(modified), from_ms(accessed)
        return Entry(row["path"], kind, size, *moments, mode, row.get("target"))

    def _check_above(self, place: str, path: str) -> None:
        """Folders alone can be above something new."""
        if any(self._rows.get("file", above) is not None for above in _above(place)):
            raise DiskError("ENOTDIR", path)

    def _keep_folder(self, place: str) -> None:
        """A folder stays when what was in it goes."""
        above = posixpath.dirname(place)
        if not self._is_directory(above):
            self.make_directory(above)

    def _is_directory(self, place: str) -> bool:
        return place == "/" or self._rows.get("directory", place) is not None or self._is_above(place)

    def _is_above(self, place: str) -> bool:
        return any(self._rows.count(kind, _between(place)) for kind in TABLES.entities)

    def _below(self, place: str) -> Iterator[str]:
        """The paths of all rows below a folder."""
        for kind in TABLES.entities:
            for (path,) in self._rows.keys(kind, _between(place)):
                yield str(path)

    def _now_ms(self) -> int:
        return to_ms(self._rows.now())


def _content_columns(data: bytes) -> dict[str, Any]:
    """Return the columns in which a `file` stores this content."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    # SQLite's functions and other tools that read the column end a text at its first NUL.
    return {"base64": base64.b64encode(data).decode()} if "\0" in text else {"text": text}


def _between(place: str) -> dict[str, str]:
    """Return a condition for the paths below a folder: they sort between "/a/" and "/a0", because "0" follows "/"."""
    start = "/" if place == "/" else place + "/"
    return {"path >": start, "path <": start[:-1] + "0"}


def _above(place: str) -> Iterator[str]:
    """The folders above a path, the highest first, without the root."""
    names = place.split("/")[1:-1]
    for i in range(len(names)):
        yield "/" + "/".join(names[: i + 1])
