"""Node's `fs` on the session's disk: the same calls with the same errors.

The behaviour was observed with Node 20 on Linux. The folders on the server's command line always exist, even if they are empty.
"""

from __future__ import annotations

from dataclasses import replace
from posixpath import dirname

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DIRECTORY_MODE, Code, DiskError, Entry, Kind
from soundstage.kernels.engines.machine import OF_THE_SYSTEM, SYSTEM_FILES
from soundstage.kernels.filesystem.rules.errors import SystemRefusal
from soundstage.kernels.filesystem.rules.roots import started_with

_FOLDER: Kind = "directory"
_LONGEST_PATH = 4096  # PATH_MAX, including the terminating NUL
_ENTRY_BYTES = 20  # tmpfs counts this much for each name in a folder, including `.` and `..`


def realpath(context: AppContext, path: str) -> str:
    """Return a path with symlinks resolved.

    Raises:
        SystemRefusal: ENOENT, ENOTDIR, ELOOP or ENAMETOOLONG.
    """
    return _entry(context, path, "realpath", also=OF_THE_SYSTEM).path


def stat(context: AppContext, path: str) -> Entry:
    """Return the entry at a path, following symlinks.

    Raises:
        SystemRefusal: ENOENT, ENOTDIR, ELOOP or ENAMETOOLONG.
    """
    entry = _entry(context, path, "stat")
    if entry.kind == "file":
        return entry
    return replace(entry, size=_ENTRY_BYTES * (2 + len(readdir(context, entry.path))))


def exists(context: AppContext, path: str) -> bool:
    """Return whether `lstat` succeeds, which it does for broken symlinks.

    Raises:
        SystemRefusal: ENAMETOOLONG.
    """
    try:
        return path in _always(context) or context.disk.stat(path, follow=False) is not None
    except DiskError as error:
        code = _met_first(context, path, error.code, steps=False)
        if code == "ENOENT":
            return False
        raise SystemRefusal(code, "lstat", path) from None


def readdir(context: AppContext, path: str) -> dict[str, Kind]:
    """Return the entries of a folder, sorted by the bytes of their names; symlinks are not followed.

    Raises:
        SystemRefusal: ENOENT or ENOTDIR.
    """
    entry = _entry(context, path, "scandir")
    if entry.kind != "directory":
        raise SystemRefusal("ENOTDIR", "scandir", path)
    inside = context.disk.names(entry.path) if context.disk.stat(entry.path) is not None else {}
    start = entry.path.rstrip("/") + "/"
    started = {p[len(start) :].partition("/")[0]: _FOLDER for p in _always(context) if p.startswith(start) and p != "/"}
    return dict(sorted({**started, **inside}.items()))


def read(context: AppContext, path: str, *, opens_only: bool = False) -> bytes:
    """Return the content of a file. With `opens_only` nothing is read, so a folder is accepted.

    Raises:
        SystemRefusal: ENOENT, EISDIR, or EFBIG for a file with unknown content.
    """
    entry = _entry(context, path, "open")
    if opens_only:
        return b""
    if entry.kind == "directory":
        raise SystemRefusal("EISDIR", "read")
    try:
        return context.disk.read(entry.path)
    except DiskError as error:
        raise SystemRefusal(error.code, "read") from None


def write(context: AppContext, path: str, data: bytes) -> None:
    """Create a file in an existing folder.

    Raises:
        SystemRefusal: EEXIST, ENOENT, ENOTDIR or EFBIG.
    """
    _check_length(context, path, "open")
    if exists(context, path):
        raise SystemRefusal("EEXIST", "open", path)
    _check_folder_above(context, path, SystemRefusal("ENOENT", "open", path))
    try:
        context.disk.write(path, data)
    except DiskError as error:
        raise _of_write(error.code, path) from None


def replace_file(context: AppContext, path: str, data: bytes) -> None:
    """Replace a file by writing a temporary file next to it and renaming that.

    Raises:
        SystemRefusal: EISDIR for a folder, ENAMETOOLONG for the longer name of the temporary file, or EFBIG.
    """
    beside = f"{path}.{context.new_id('beside', '{hex:32}')}.tmp"
    try:
        context.disk.stat(beside)
    except DiskError as error:
        raise SystemRefusal(error.code, "open", beside) from None
    if stat(context, path).kind == "directory":
        raise SystemRefusal("EISDIR", "rename", beside, path)
    try:
        context.disk.replace(path, data)
    except DiskError as error:
        raise _of_write(error.code, path) from None


def mkdir(context: AppContext, path: str) -> None:
    """Create a folder and its parents; existing folders are accepted.

    Raises:
        SystemRefusal: EEXIST for a file.
    """
    if path in _always(context):
        return
    try:
        context.disk.make_directory(path)
    except DiskError as error:
        raise SystemRefusal(error.code, "mkdir", path) from None


def rename(context: AppContext, path: str, to: str) -> None:
    """Move a file or folder to a path that does not exist.

    Raises:
        SystemRefusal: ENOENT, or EINVAL for a move into itself.
    """
    missing = SystemRefusal("ENOENT", "rename", path, to)
    try:
        if not exists(context, path):
            raise missing
    except SystemRefusal as refusal:
        raise SystemRefusal(refusal.code, "rename", path, to) from None
    _check_folder_above(context, to, missing)
    try:
        context.disk.move(path, to)
    except DiskError as error:
        raise SystemRefusal(error.code, "rename", path, to) from None


def _entry(context: AppContext, path: str, call: str, *, also: frozenset[str] = frozenset()) -> Entry:
    """Return the entry at a path; paths in `also` exist without metadata."""
    disk = context.disk
    try:
        place = disk.resolve(path)
        if (entry := disk.stat(path)) is not None:
            return entry
    except DiskError as error:
        code = _met_first(context, path, error.code, steps=call == "realpath")
        raise SystemRefusal(code, call, path) from None
    if place in also or place in _always(context):
        now = context.now()
        return Entry(place, "directory", 0, now, now, now, DIRECTORY_MODE)
    raise SystemRefusal(_why_not(context, place), call, path)


def _why_not(context: AppContext, place: str) -> Code:
    """Return the error code for a missing entry at a resolved path."""
    while (place := dirname(place)) != "/":
        if place in SYSTEM_FILES:
            return "ENOTDIR"
        if (above := context.disk.stat(place)) is not None:
            return "ENOTDIR" if above.kind == "file" else "ENOENT"
    return "ENOENT"


def _met_first(context: AppContext, path: str, code: Code, *, steps: bool) -> Code:
    """Return the error code that a path raises first.

    An overlong name does not matter inside a missing folder. `realpath` proceeds in `steps`, so the whole path may exceed the
    limit of other calls.
    """
    while code == "ENAMETOOLONG" and path != "/" and (steps or len(path.encode()) < _LONGEST_PATH):
        # The disk rejects every folder with a longer path, so the search continues at the first shorter one.
        folder = dirname(path[: _LONGEST_PATH + 1])
        try:
            above = context.disk.stat(folder)
        except DiskError as error:
            path, code = folder, error.code
            continue
        if above is None:
            return "ENOENT" if folder not in _always(context) else code
        return "ENOTDIR" if above.kind == "file" else code
    return code


def _check_length(context: AppContext, path: str, call: str) -> None:
    try:
        context.disk.stat(path)
    except DiskError as error:
        raise SystemRefusal(_met_first(context, path, error.code, steps=False), call, path) from None


def _check_folder_above(context: AppContext, path: str, missing: SystemRefusal) -> None:
    folder = dirname(path)
    if folder not in _always(context) and context.disk.stat(folder) is None:
        raise missing


def _of_write(code: Code, path: str) -> SystemRefusal:
    return SystemRefusal(code, "write") if code == "EFBIG" else SystemRefusal(code, "open", path)


def _always(context: AppContext) -> set[str]:
    """Return the folders on the server's command line and their parents."""
    places: set[str] = {"/"}
    for root in started_with(context):
        while root not in places:
            places.add(root)
            root = dirname(root)
    return places
