"""Files that are written under a temporary name and renamed when complete, and the cleanup after a killed process."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from soundstage.contexts.engine.lock_files import abandoned_files, locked_file

_BESIDE = ("", "-wal", "-shm", "-journal")  # files that SQLite may create for a database


@contextmanager
def partial(path: Path) -> Iterator[Path]:
    """Yield an empty file that becomes `path` when the block ends; if the block fails, it is removed."""
    made = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    with locked_file(made):
        try:
            yield made
        finally:
            _remove(made)


def clear_away(folder: Path) -> int:
    """Remove what processes that were killed while they built worlds have left in a folder. Returns how many files."""
    with abandoned_files(folder, "*.partial") as partials:
        for path in partials:
            _remove(path)
    return len(partials)


def _remove(path: Path) -> None:
    for suffix in _BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
