"""Opening files of the server's machine, with the errors of Go's os package."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.wecom.rules.errors import Refusal

_WORKING_FOLDER = "/"
_WORDS = {
    "ENOENT": "no such file or directory",
    "ENOTDIR": "not a directory",
    "EINVAL": "invalid argument",
    "ENAMETOOLONG": "file name too long",
    "ELOOP": "too many levels of symbolic links",
}


def size_of(context: AppContext, path: str) -> int:
    """Return the size of a file in bytes.

    Raises:
        Refusal: `open /no/such.txt: no such file or directory`, `read /home: is a directory`.
    """
    if not path:
        raise _refused(path, "ENOENT")
    place = path if path.startswith("/") else _WORKING_FOLDER + path
    try:
        entry = context.disk.stat(place)
        above = context.disk.stat(place.rstrip("/").rpartition("/")[0] or "/")
    except DiskError as error:
        raise _refused(path, error.code) from None
    if entry is None:
        raise _refused(path, "ENOTDIR" if above is not None and above.kind == "file" else "ENOENT")
    if entry.kind == "directory":
        raise Refusal("invalid", f"read {path}: is a directory")
    if path.endswith("/"):
        raise _refused(path, "ENOTDIR")
    return entry.size


def _refused(path: str, code: str) -> Refusal:
    return Refusal("not_found", f"open {path}: {_WORDS[code]}")
