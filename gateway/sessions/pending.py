"""Which sessions and snapshots are being made or ended: their files lie on this volume, and their rows in the registry decide.

A row and a file cannot be written in one transaction. So each of the two is announced here before, and taken back after; what
is still announced by a process that has ended is kept where there is a row, and removed where there is none. A file that was
never announced is nobody's to remove: its registry may be another one, or have been moved away.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from soundstage.contexts.engine.unfinished import in_work, left_behind


class Announced:
    """What is announced for as long as a block runs. Without `settle` the next to look after it decides."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths

    def settle(self) -> None:
        """Row and file agree: both are there, or neither is."""
        for path in self._paths:
            path.unlink(missing_ok=True)


class Pending:
    """The announcements in a data folder: empty files `<folder>/pending/<id>.<random>`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "pending"
        self._folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def announced(self, ids: Iterable[str]) -> Iterator[Announced]:
        """Announce that these sessions and snapshots are being made or ended.

        Raises:
            OSError: on a full disk, too.
        """
        with ExitStack() as stack:
            paths = []
            for one in ids:
                path = self._folder / f"{one}.{secrets.token_hex(4)}"
                stack.enter_context(in_work(path))
                paths.append(path)
            yield Announced(paths)

    @contextmanager
    def abandoned(self) -> Iterator[dict[str, Announced]]:
        """By id, what processes had announced that have ended since."""
        with left_behind(self._folder, "*") as paths:
            by_id: dict[str, list[Path]] = {}
            for path in paths:
                by_id.setdefault(path.stem, []).append(path)
            yield {one: Announced(of_it) for one, of_it in by_id.items()}
