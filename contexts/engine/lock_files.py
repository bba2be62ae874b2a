"""Locked files that represent work in progress, to distinguish it from the remains of a killed process.

The operating system releases a lock when its process ends, even if it is killed. An unlocked file is therefore abandoned,
whatever its age, and a locked one is in use, however long the work takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":

    def _lock(file: int) -> None:
        """Nothing: files are not locked there."""

    def _locks_now(file: int) -> bool:
        """Never, so that nothing is taken for left behind."""
        return False
else:
    from fcntl import LOCK_EX, LOCK_NB, flock

    def _lock(file: int) -> None:
        flock(file, LOCK_EX)

    def _locks_now(file: int) -> bool:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Create an empty file and keep it locked while the block runs. The caller removes or renames it at the end.

    Raises:
        OSError: the file cannot be created, or exists already.
    """
    file = _made(path)
    try:
        yield
    finally:
        os.close(file)


@contextmanager
def abandoned_files(folder: Path, pattern: str) -> Iterator[list[Path]]:
    """Yield the files that no process has locked. They belong exclusively to the caller while the block runs."""
    files: list[int] = []
    abandoned: list[Path] = []
    try:
        for path in sorted(folder.glob(pattern)):
            with suppress(FileNotFoundError):  # done meanwhile
                files.append(os.open(path, os.O_RDONLY))
                if _locks_now(files[-1]) and _is_at(path, files[-1]):
                    abandoned.append(path)
        yield abandoned
    finally:
        for file in files:
            os.close(file)


def _made(path: Path) -> int:
    """Create and lock a new file. If another process removes it as abandoned before it is locked, create it again."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        _lock(file)
        if _is_at(path, file):
            return file
        os.close(file)


def _is_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
