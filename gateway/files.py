"""Files that are made once, by whichever process comes first, that are replaced whole, and that are nobody else's to read."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from soundstage.contexts.engine.unfinished import in_work, left_behind


def made_once(path: Path, text: str) -> str:
    """The text of a file that only its owner may read, made with `text` where it is missing.

    Of several processes that start together all get the same: a link is made whole or not at all.

    Raises:
        OSError: when it can be neither read nor made.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        with in_work(fresh):
            fresh.write_text(text)
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
    _sweep(path)
    return path.read_text().strip()


def made_anew(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, in place of the one that is there.

    Raises:
        OSError: when it cannot be made.
    """
    fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    with in_work(fresh):
        try:
            fresh.write_bytes(content)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    _sweep(path)


def made_private(path: Path) -> None:
    """Make a file that only its owner may read, empty where it is missing; what SQLite puts beside it gets its mode.

    Raises:
        OSError: when it can be neither made nor made private.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for one in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(FileNotFoundError):
            made_own(one)


def made_own(path: Path) -> bool:
    """Take what others may do with a file or folder away. False where it is somebody else's.

    Raises:
        FileNotFoundError: when it is not there.
    """
    mode = path.stat().st_mode
    if os.name != "posix" or not mode & _OTHERS:
        return True
    try:
        path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
    except PermissionError:
        return False
    return True


def _sweep(path: Path) -> None:
    """Remove what processes that were killed while they made this file left of it."""
    with left_behind(path.parent, f".{path.name}-*") as left:
        for fresh in left:
            fresh.unlink()


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
