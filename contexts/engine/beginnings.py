"""Starting points of contexts: the files they start from, and a pool of in-memory database connections for reuse.

Opening a context takes SQLite a third of a millisecond with four apps and more than one millisecond with all apps, because it
reads the table declarations. An unused connection is therefore kept with its parsed schema, and becomes another context of the
same world in about 0.02 ms. A new context is also created on such a connection: the result is a page image (`Moment`), which is
opened at its first use.
"""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from weakref import finalize

import apsw

from soundstage.contexts.engine import pages
from soundstage.contexts.engine.store import STATEMENTS_CACHED, Context, open_context

T = TypeVar("T")

_WORLDS_KEPT = 64
_RESTING = 32
"""Connections kept for reuse, over all worlds. A connection with all apps uses 0.25 MB for its schema, and 0.4 MB for the
statements of forty tables.
"""


class Beginnings:
    """The files that a keeper's contexts start from, and its pool of in-memory connections.

    No context grows beyond `max_bytes` by its own steps.
    """

    def __init__(self, *, max_bytes: int | None) -> None:
        self._max_bytes = max_bytes
        self._worlds: OrderedDict[tuple[Path, int, int], pages.Moment] = OrderedDict()  # least recently used first
        self._resting: dict[pages.World, list[apsw.Connection]] = {}
        # Also runs at the end of the process, before Python destroys the objects that the connections depend on.
        finalize(self, _close, self._resting)
        self._in_turn: deque[pages.World] = deque()  # worlds with a pooled connection, longest pooled first

    def of(self, start: Path) -> pages.Moment:
        """Return the initial page image of contexts that start from this file. Its mapping lives as long as one of them."""
        there = os.stat(start)
        key = (start, there.st_ino, there.st_size)
        moment = self._worlds.pop(key, None) or pages.Moment.beginning(pages.World(start))
        self._worlds[key] = moment
        if len(self._worlds) > _WORLDS_KEPT:
            self._worlds.popitem(last=False)
        return moment

    def begun(self, moment: pages.Moment, work: Callable[[Context], T]) -> tuple[pages.Moment, T]:
        """Run `work` on a context opened from a page image; return the new page image and the result of `work`.

        Any error of `work` is raised unchanged, and nothing remains of its changes.
        """
        context = self.open(moment)
        try:
            found = work(context)
            after = pages.moment_of(context.connection)
            assert after is not None, "it is in memory"
        except BaseException:
            context.close()
            raise
        self.rest(context)
        return after, found

    def open(self, moment: pages.Moment) -> Context:
        """Open a page image as a context in memory."""
        if (connection := self._rested(moment.world)) is None:
            connection = pages.connect(moment, statements=STATEMENTS_CACHED)
        else:
            pages.put_back(connection, moment)
        context = open_context(connection)
        if self._max_bytes is not None:
            context.limit(self._max_bytes)
        return context

    def rest(self, context: Context) -> None:
        """Close a context in memory for all its users, and keep its connection in the pool."""
        connection = context.leave()
        world = None
        with suppress(apsw.ConnectionClosedError):
            world = pages.rest(connection)
        if world is None:
            connection.close()
            return
        self._resting.setdefault(world, []).append(connection)
        self._in_turn.append(world)
        if len(self._in_turn) > _RESTING and (longest := self._rested(self._in_turn[0])) is not None:
            longest.close()

    def _rested(self, world: pages.World) -> apsw.Connection | None:
        """Remove an unused connection to a database of this world from the pool and return it; None if there is none."""
        resting = self._resting.get(world)
        if not resting:
            return None
        connection = resting.pop()
        if not resting:
            del self._resting[world]
        self._in_turn.remove(world)
        return connection


def _close(resting: dict[pages.World, list[apsw.Connection]]) -> None:
    for connections in resting.values():
        for connection in connections:
            connection.close()
