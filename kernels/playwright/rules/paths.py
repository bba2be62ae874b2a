"""Files of the machine that the server runs on, as Node finds and makes them; all of them are on the session's disk."""

from __future__ import annotations

from posixpath import join, normpath
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.engines.javascript import text, type_of
from soundstage.kernels.playwright.rules.codegen import HOME
from soundstage.kernels.playwright.rules.errors import Failed

_WORDS = {
    "ENOENT": "no such file or directory",
    "ENOTDIR": "not a directory",
    "EISDIR": "illegal operation on a directory",
    "EEXIST": "file already exists",
    "EFBIG": "file too large",
    "EINVAL": "invalid argument",
    "ENAMETOOLONG": "name too long",
    "ELOOP": "too many symbolic links encountered",
    "ENOTEMPTY": "directory not empty",
}


def full(path: str) -> str:
    """An absolute path; others begin where the server was started."""
    return normpath(join(HOME, path))


def relative(path: str) -> str:
    """A path as seen from where the server was started."""
    steps, start = path.strip("/").split("/"), HOME.strip("/").split("/")
    same = 0
    while same < min(len(steps), len(start)) and steps[same] == start[same]:
        same += 1
    return "/".join([".."] * (len(start) - same) + steps[same:])


def no_path(name: str, value: Any) -> str:
    """What Node says of a path that is no text."""
    shown = "null" if value is None else f"type {type_of(value)} ({text(value)})"
    if isinstance(value, dict | list):
        shown = f"an instance of {'Array' if isinstance(value, list) else 'Object'}"
    return f'The "{name}" argument must be of type string. Received {shown}'


def refusal(error: DiskError, doing: str, path: str) -> str:
    """What Node says of a file that cannot be had."""
    return f"{error.code}: {_WORDS[error.code]}, {doing} '{path}'"


def make_folder(context: AppContext, path: str) -> None:
    """`fs.mkdir` with all that is above.

    Raises:
        Failed: a file is in the way.
    """
    try:
        context.disk.make_directory(path)
    except DiskError as error:
        raise Failed("conflict", refusal(error, "mkdir", path)) from None


def write(context: AppContext, path: str, data: bytes) -> None:
    """`fs.writeFile`.

    Raises:
        Failed: a folder is there, or a file is above it.
    """
    try:
        context.disk.write(path, data)
    except DiskError as error:
        raise Failed("conflict", refusal(error, "open", path)) from None
