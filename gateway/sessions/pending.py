"""Announcements of sessions and snapshots that are being created or deleted.

A row in the registry and a file cannot be written in one transaction. So each operation is announced before and the
announcement is removed after. If a process ends in between, its files are preserved if the registry has the row and removed if
not. Files that were never announced are never removed: their registry may be another one, or may have been moved.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from soundstage.contexts.engine.lock_files import abandoned_files, locked_file


class Announcement:
    """Announcements for the duration of a block. Without `settle`, the next cleanup decides."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths

    def settle(self) -> None:
        """Remove the announcements: row and file agree, both exist or neither."""
        for path in self._paths:
            path.unlink(missing_ok=True)


class PendingFiles:
    """The announcements in a data folder: empty files `<folder>/pending/<id>.<random>`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "pending"
        self._folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def announce(self, ids: Iterable[str]) -> Iterator[Announcement]:
        """Announce that these sessions and snapshots are being created or deleted.

        Raises:
            OSError: for example, the disk is full.
        """
        with ExitStack() as stack:
            paths = []
            for one in ids:
                path = self._folder / f"{one}.{secrets.token_hex(4)}"
                stack.enter_context(locked_file(path))
                paths.append(path)
            yield Announcement(paths)

    @contextmanager
    def abandoned(self) -> Iterator[dict[str, Announcement]]:
        """Yield the announcements of processes that have ended, by id."""
        with abandoned_files(self._folder, "*") as paths:
            by_id: dict[str, list[Path]] = {}
            for path in paths:
                by_id.setdefault(path.stem, []).append(path)
            yield {one: Announcement(of_it) for one, of_it in by_id.items()}
