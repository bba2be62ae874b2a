"""What contexts begin with: the files that they start from, and connections to databases in memory for those that are used next.

To open a context takes SQLite a third of a millisecond where it has four apps and more than one where it has all: it reads the
declarations of the tables. So a connection that nobody uses any more is kept with what it knows, and becomes another context of
the same world in some 0.02 ms. A new context is made on such a one, too: what comes of it is a `Moment`, which somebody
opens when it is first used.
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
"""Connections that are kept for the next, of all worlds. One with all apps takes 0.25 MB for the tables that it knows, and for
statements of forty tables 0.4 MB."""


class Beginnings:
    """The files that a keeper's contexts start from, and its connections to databases in memory, of which no context grows beyond
    `max_bytes` by its own steps.
    """

    def __init__(self, *, max_bytes: int | None) -> None:
        self._max_bytes = max_bytes
        self._worlds: OrderedDict[tuple[Path, int, int], pages.Moment] = OrderedDict()  # the longest unused first
        self._resting: dict[pages.World, list[apsw.Connection]] = {}
        # At the end of the process, too, before Python takes apart what they lean on.
        finalize(self, _close, self._resting)
        self._in_turn: deque[pages.World] = deque()  # those that have one resting, the longest first

    def of(self, start: Path) -> pages.Moment:
        """How contexts start that start from this file; what is mapped of it stays for as long as one of them is there."""
        there = os.stat(start)
        key = (start, there.st_ino, there.st_size)
        moment = self._worlds.pop(key, None) or pages.Moment.beginning(pages.World(start))
        self._worlds[key] = moment
        if len(self._worlds) > _WORLDS_KEPT:
            self._worlds.popitem(last=False)
        return moment

    def begun(self, moment: pages.Moment, work: Callable[[Context], T]) -> tuple[pages.Moment, T]:
        """A moment after some work on a context that is as at another one, and what the work gave.

        Raises:
            Whatever the work does; nothing is left of it then.
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
        """A context in memory, as it was."""
        if (connection := self._rested(moment.world)) is None:
            connection = pages.connect(moment, statements=STATEMENTS_CACHED)
        else:
            pages.put_back(connection, moment)
        context = open_context(connection)
        if self._max_bytes is not None:
            context.limit(self._max_bytes)
        return context

    def rest(self, context: Context) -> None:
        """End a context in memory. Whoever still has it finds it closed; its connection is kept for another one."""
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
        """A connection to a database of this world that nobody uses, to be used now."""
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
