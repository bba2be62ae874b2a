"""Files that one of several processes creates, files that are replaced atomically, and private files."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from soundstage.contexts.engine.lock_files import abandoned_files, locked_file


def made_once(path: Path, text: str) -> str:
    """Return the text of a private file; create it with `text` if it is missing.

    Processes that start at the same time all get the same text: a hard link is created atomically.

    Raises:
        OSError: it can be neither read nor created.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        with locked_file(fresh):
            fresh.write_text(text)
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
    _sweep(path)
    return path.read_text().strip()


def made_anew(path: Path, content: bytes) -> None:
    """Replace a file atomically.

    Raises:
        OSError: it cannot be created.
    """
    fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    with locked_file(fresh):
        try:
            fresh.write_bytes(content)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    _sweep(path)


def made_private(path: Path) -> None:
    """Make a file private to its owner, and create it if it is missing. SQLite gives its companion files the same mode.

    Raises:
        OSError: it can be neither created nor made private.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for one in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(FileNotFoundError):
            made_own(one)


def made_own(path: Path) -> bool:
    """Remove the permissions of other users from a file or folder. Returns False if another user owns it."""
    mode = path.stat().st_mode
    if os.name != "posix" or not mode & _OTHERS:
        return True
    try:
        path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
    except PermissionError:
        return False
    return True


def _sweep(path: Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote this file."""
    with abandoned_files(path.parent, f".{path.name}-*") as left:
        for fresh in left:
            fresh.unlink()


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
