"""Files on the server's machine: attachments and downloads."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.engines.mail.mime import File
from soundstage.kernels.gmail.rules.errors import Refusal

_CWD = "/home/agent"
_NODE_WORDS = {
    "ENOENT": "no such file or directory",
    "EISDIR": "illegal operation on a directory",
    "ENOTDIR": "not a directory",
    "ENAMETOOLONG": "name too long",
    "EFBIG": "file too large",
    "ELOOP": "too many symbolic links encountered",
}


def read_files(context: AppContext, paths: list[str]) -> list[File]:
    """Read the files at these paths. All of them are checked before the first is read.

    Raises:
        Refusal: A file does not exist, or is unreadable (in Node.js's words).
    """
    for path in paths:
        if not _exists(context, _whole(context, path)):
            raise Refusal("not_found", f"File does not exist: {path}")
    files = []
    for path in paths:
        try:
            files.append(File(basename(path.rstrip("/")), context.disk.read(_whole(context, path))))
        except DiskError as error:
            raise _refused(error, "read") from None
    return files


def save(context: AppContext, folder: str, name: str, data: bytes) -> str:
    """Write a file, creating its folder (but no folders within its name), and return its path.

    Raises:
        Refusal: The file cannot be written (in Node.js's words).
    """
    folder = folder or cwd(context)
    shown = normpath(join(folder, name.lstrip("/")))
    whole = _whole(context, shown)
    try:
        if not _exists(context, _whole(context, folder)):
            context.disk.make_directory(_whole(context, folder))
    except DiskError as error:
        raise _refused(error, f"mkdir '{folder}'") from None
    try:
        if not _exists(context, dirname(whole)):
            raise DiskError("ENOENT", whole)
        context.disk.write(whole, data)
    except DiskError as error:
        raise _refused(error, f"open '{shown}'") from None
    return shown


def cwd(context: AppContext) -> str:
    """Return the server's working directory, from the setting `cwd`."""
    return str((context.get("setting", "cwd") or {}).get("value") or _CWD)


def _whole(context: AppContext, path: str) -> str:
    return join(cwd(context), path)


def _exists(context: AppContext, path: str) -> bool:
    """Return `fs.existsSync`: false on any error."""
    try:
        return context.disk.stat(path) is not None
    except DiskError:
        return False


def _refused(error: DiskError, doing: str) -> Refusal:
    return Refusal(
        "not_found" if error.code == "ENOENT" else "invalid",
        f"{error.code}: {_NODE_WORDS.get(error.code, 'invalid argument')}, {doing}",
    )
