"""Files of the server's machine as Node sees them; all of them are on the session's disk."""

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
    """Return an absolute path; relative paths start at the server's working directory."""
    return normpath(join(HOME, path))


def relative(path: str) -> str:
    """Return a path relative to the server's working directory."""
    steps, start = path.strip("/").split("/"), HOME.strip("/").split("/")
    same = 0
    while same < min(len(steps), len(start)) and steps[same] == start[same]:
        same += 1
    return "/".join([".."] * (len(start) - same) + steps[same:])


def no_path(name: str, value: Any) -> str:
    """Return Node's message for a path that is not a string."""
    shown = "null" if value is None else f"type {type_of(value)} ({text(value)})"
    if isinstance(value, dict | list):
        shown = f"an instance of {'Array' if isinstance(value, list) else 'Object'}"
    return f'The "{name}" argument must be of type string. Received {shown}'


def refusal(error: DiskError, doing: str, path: str) -> str:
    """Return Node's message for a failed file operation."""
    return f"{error.code}: {_WORDS[error.code]}, {doing} '{path}'"


def make_folder(context: AppContext, path: str) -> None:
    """Create a folder and its parents, like `fs.mkdir`.

    Raises:
        Failed: A file is in the way.
    """
    try:
        context.disk.make_directory(path)
    except DiskError as error:
        raise Failed("conflict", refusal(error, "mkdir", path)) from None


def write(context: AppContext, path: str, data: bytes) -> None:
    """Write a file, like `fs.writeFile`.

    Raises:
        Failed: The path is a folder, or one of its parents is a file.
    """
    try:
        context.disk.write(path, data)
    except DiskError as error:
        raise Failed("conflict", refusal(error, "open", path)) from None
