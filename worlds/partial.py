"""Files that are made under another name and renamed when they are whole, and what a killed process leaves of them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from soundstage.contexts.engine.unfinished import in_work, left_behind

_BESIDE = ("", "-wal", "-shm", "-journal")  # what SQLite may have beside a database


@contextmanager
def partial(path: Path) -> Iterator[Path]:
    """An empty file to be filled and renamed to `path`; where the block fails, nothing is left of it."""
    made = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    with in_work(made):
        try:
            yield made
        finally:
            _remove(made)


def clear_away(folder: Path) -> int:
    """Remove what processes that were killed while they built worlds have left in a folder. Returns how many files."""
    with left_behind(folder, "*.partial") as partials:
        for path in partials:
            _remove(path)
    return len(partials)


def _remove(path: Path) -> None:
    for suffix in _BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
