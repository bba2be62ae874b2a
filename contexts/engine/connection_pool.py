"""Starting points of contexts: the files they start from, and a pool of in-memory database connections for reuse.

Opening a context takes SQLite a third of a millisecond with four apps and more than one millisecond with all apps, because it
reads the table declarations. An unused connection therefore stays open with its parsed schema, and becomes another context of the
same world in about 0.02 ms. A new context is also created on such a connection: the result is a `PageImage`, which is opened at
its first use.
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

_MAX_WORLDS = 64
_MAX_IDLE = 32
"""Maximum number of unused connections, over all worlds.

A connection with all apps uses 0.25 MB for its schema, and 0.4 MB for the statements of forty tables.
"""


class ConnectionPool:
    """The files that a storage's contexts start from, and its pool of in-memory connections.

    No context grows beyond `max_bytes` by its own steps.
    """

    def __init__(self, *, max_bytes: int | None) -> None:
        self._max_bytes = max_bytes
        self._worlds: OrderedDict[tuple[Path, int, int], pages.PageImage] = OrderedDict()  # least recently used first
        self._idle: dict[pages.World, list[apsw.Connection]] = {}
        # Also runs at the end of the process, before Python destroys the objects that the connections depend on.
        finalize(self, _close, self._idle)
        self._oldest_first: deque[pages.World] = deque()  # worlds with a pooled connection, longest pooled first

    def initial_image(self, start: Path) -> pages.PageImage:
        """Return the initial page image of contexts that start from this file. Its mapping is closed with the last of them."""
        status = os.stat(start)
        key = (start, status.st_ino, status.st_size)
        image = self._worlds.pop(key, None) or pages.PageImage.initial(pages.World(start))
        self._worlds[key] = image
        if len(self._worlds) > _MAX_WORLDS:
            self._worlds.popitem(last=False)
        return image

    def apply(self, image: pages.PageImage, work: Callable[[Context], T]) -> tuple[pages.PageImage, T]:
        """Run `work` on a context opened from a page image; return the new page image and the result of `work`.

        Any error of `work` is raised unchanged, and nothing remains of its changes.
        """
        context = self.open(image)
        try:
            result = work(context)
            after = pages.image_of(context.connection)
            assert after is not None, "it is in memory"
        except BaseException:
            context.close()
            raise
        self.release(context)
        return after, result

    def open(self, image: pages.PageImage) -> Context:
        """Open a page image as a context in memory."""
        if (connection := self._take(image.world)) is None:
            connection = pages.connect(image, statements=STATEMENTS_CACHED)
        else:
            pages.restore(connection, image)
        context = open_context(connection)
        if self._max_bytes is not None:
            context.limit(self._max_bytes)
        return context

    def release(self, context: Context) -> None:
        """Close a context in memory for all its users, and put its connection into the pool."""
        connection = context.detach()
        world = None
        with suppress(apsw.ConnectionClosedError):
            world = pages.reset_to_world(connection)
        if world is None:
            connection.close()
            return
        self._idle.setdefault(world, []).append(connection)
        self._oldest_first.append(world)
        if len(self._oldest_first) > _MAX_IDLE and (longest := self._take(self._oldest_first[0])) is not None:
            longest.close()

    def _take(self, world: pages.World) -> apsw.Connection | None:
        """Remove an unused connection to a database of this world from the pool and return it; None if there is none."""
        idle = self._idle.get(world)
        if not idle:
            return None
        connection = idle.pop()
        if not idle:
            del self._idle[world]
        self._oldest_first.remove(world)
        return connection


def _close(idle: dict[pages.World, list[apsw.Connection]]) -> None:
    for connections in idle.values():
        for connection in connections:
            connection.close()
