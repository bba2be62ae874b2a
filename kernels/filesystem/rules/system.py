"""Node's `fs` over the session's own disk: the same calls, refused with the same codes in the same words.

Seen with Node 20 on Linux. The folders that the server was started with are there whether or not anything is in them.
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
_LONGEST_PATH = 4096  # PATH_MAX, with the NUL at its end
_ENTRY_BYTES = 20  # what a folder of tmpfs counts for each name in it, `.` and `..` among them


def realpath(context: AppContext, path: str) -> str:
    """A path without symlinks.

    Raises:
        SystemRefusal: ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG.
    """
    return _found(context, path, "realpath", also=OF_THE_SYSTEM).path


def stat(context: AppContext, path: str) -> Entry:
    """What is at a path, symlinks followed.

    Raises:
        SystemRefusal: ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG.
    """
    entry = _found(context, path, "stat")
    if entry.kind == "file":
        return entry
    return replace(entry, size=_ENTRY_BYTES * (2 + len(readdir(context, entry.path))))


def exists(context: AppContext, path: str) -> bool:
    """Whether `lstat` finds anything, be it a symlink that leads nowhere.

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
    """What is in a folder, by the bytes of its name; symlinks as such.

    Raises:
        SystemRefusal: ENOENT, ENOTDIR.
    """
    entry = _found(context, path, "scandir")
    if entry.kind != "directory":
        raise SystemRefusal("ENOTDIR", "scandir", path)
    inside = context.disk.names(entry.path) if context.disk.stat(entry.path) is not None else {}
    start = entry.path.rstrip("/") + "/"
    started = {p[len(start) :].partition("/")[0]: _FOLDER for p in _always(context) if p.startswith(start) and p != "/"}
    return dict(sorted({**started, **inside}.items()))


def read(context: AppContext, path: str, *, opens_only: bool = False) -> bytes:
    """What a file holds. With `opens_only` nothing is read of it, so that a folder is as good.

    Raises:
        SystemRefusal: ENOENT, EISDIR; EFBIG for a file whose content cannot be told.
    """
    entry = _found(context, path, "open")
    if opens_only:
        return b""
    if entry.kind == "directory":
        raise SystemRefusal("EISDIR", "read")
    try:
        return context.disk.read(entry.path)
    except DiskError as error:
        raise SystemRefusal(error.code, "read") from None


def write(context: AppContext, path: str, data: bytes) -> None:
    """Make a file where none is, in a folder that is there.

    Raises:
        SystemRefusal: EEXIST, ENOENT, ENOTDIR, EFBIG.
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
    """Write a file beside the one at a path, and rename it to that.

    Raises:
        SystemRefusal: EISDIR where a folder is; ENAMETOOLONG for the longer name of the file beside; EFBIG.
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
    """Make a folder and those above it; one that is there is none the worse.

    Raises:
        SystemRefusal: EEXIST where a file is.
    """
    if path in _always(context):
        return
    try:
        context.disk.make_directory(path)
    except DiskError as error:
        raise SystemRefusal(error.code, "mkdir", path) from None


def rename(context: AppContext, path: str, to: str) -> None:
    """Give what is at a path another one, at which nothing is.

    Raises:
        SystemRefusal: ENOENT, EINVAL into itself.
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


def _found(context: AppContext, path: str, call: str, *, also: frozenset[str] = frozenset()) -> Entry:
    """What is at a path; at those that are `also` there, nothing but that it is."""
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
    """Why nothing can be at a resolved path where nothing is."""
    while (place := dirname(place)) != "/":
        if place in SYSTEM_FILES:
            return "ENOTDIR"
        if (above := context.disk.stat(place)) is not None:
            return "ENOTDIR" if above.kind == "file" else "ENOENT"
    return "ENOENT"


def _met_first(context: AppContext, path: str, code: Code, *, steps: bool) -> Code:
    """What is in the way of a path that is refused with a code: a name that is too long does not matter in a folder that is not
    there. `realpath` goes by `steps`, so that all of a path may be longer than it may be for other calls."""
    folder = dirname(path)
    if code != "ENAMETOOLONG" or folder == path or (len(path.encode()) >= _LONGEST_PATH and not steps):
        return code
    try:
        above = context.disk.stat(folder)
    except DiskError as error:
        return _met_first(context, folder, error.code, steps=steps)
    if above is None:
        return "ENOENT" if folder not in _always(context) else code
    return "ENOTDIR" if above.kind == "file" else code


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
    """The folders that the server was started with, and those above them."""
    places: set[str] = {"/"}
    for root in started_with(context):
        while root not in places:
            places.add(root)
            root = dirname(root)
    return places
