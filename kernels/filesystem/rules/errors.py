"""Errors: the server rejects a path, or a system call fails with Node's message for its code."""

from __future__ import annotations

from soundstage.contexts.engine.disk import Code
from soundstage.kernels.errors import AppError, ErrorKind

_WORDS: dict[str, tuple[str, ErrorKind]] = {
    "ENOENT": ("no such file or directory", "not_found"),
    "EISDIR": ("illegal operation on a directory", "invalid"),
    "ENOTDIR": ("not a directory", "invalid"),
    "EEXIST": ("file already exists", "conflict"),
    "ENOTEMPTY": ("directory not empty", "conflict"),
    "EFBIG": ("file too large", "limit"),
    "EINVAL": ("invalid argument", "invalid"),
    "ENAMETOOLONG": ("name too long", "invalid"),
    "ELOOP": ("too many symbolic links encountered", "invalid"),
}


class Refusal(AppError):
    """An exception of the server; `message` is the complete reply."""


class SystemRefusal(Refusal):
    """A failed system call with its POSIX `code`: `ENOENT: no such file or directory, open '/srv/nope'`."""

    def __init__(self, code: Code, call: str, path: str | None = None, to: str | None = None) -> None:
        """Create the error in Node's words."""
        words, kind = _WORDS[code]
        place = "" if path is None else f" '{path}'"
        goal = "" if to is None else f" -> '{to}'"
        super().__init__(kind, f"{code}: {words}, {call}{place}{goal}")
        self.code = code
