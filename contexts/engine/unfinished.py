"""Files that stand for work in progress: locked by whoever does it, so that others can tell it from what a killed process left.

The operating system gives a lock back when its process ends, however it ends. So a file that nobody has locked has been left
behind, at any age, and one that is locked is being worked on, however long that takes.
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
def in_work(path: Path) -> Iterator[None]:
    """Make an empty file and keep it locked for as long as the block runs. Whoever finishes the work removes or renames it.

    Raises:
        OSError: when it cannot be made, also when there is one of its name.
    """
    file = _made(path)
    try:
        yield
    finally:
        os.close(file)


@contextmanager
def left_behind(folder: Path, pattern: str) -> Iterator[list[Path]]:
    """Those files that nobody works on any more. For as long as the block runs they are the caller's, and nobody else's."""
    files: list[int] = []
    found: list[Path] = []
    try:
        for path in sorted(folder.glob(pattern)):
            with suppress(FileNotFoundError):  # done meanwhile
                files.append(os.open(path, os.O_RDONLY))
                if _locks_now(files[-1]) and _is_at(path, files[-1]):
                    found.append(path)
        yield found
    finally:
        for file in files:
            os.close(file)


def _made(path: Path) -> int:
    """A new file, locked. One that is taken for left behind, and removed, before it is locked is made again."""
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
