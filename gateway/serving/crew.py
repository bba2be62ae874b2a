"""The workers that receive connections: the running ones, and the channel to each."""

from __future__ import annotations

import asyncio
import errno
import itertools
import socket
from collections import deque

from soundstage.gateway.share import share_of

_MARK = b"\0"  # a descriptor needs at least one byte of data
_AGAIN_S = 0.01


class PeerWorkers:
    """Hands connections to a number of workers without waiting for any of them."""

    def __init__(self, of: int) -> None:
        self._of = of
        self._ways: dict[int, PeerChannel] = {}
        self._homeless: deque[tuple[socket.socket, str | None]] = deque()
        self._turn = itertools.cycle(range(of))

    def join(self, index: int, channel: socket.socket) -> None:
        """Add a worker. It first receives the connections that no worker could accept."""
        self._ways[index] = PeerChannel(channel)
        homeless, self._homeless = self._homeless, deque()
        for connection, handle in homeless:
            self.give(connection, handle)

    def leave(self, index: int) -> None:
        """Remove a worker; its undelivered connections go to the others."""
        if (way := self._ways.pop(index, None)) is not None:
            for connection, handle in way.close():
                self.give(connection, handle)

    def give(self, connection: socket.socket, handle: str | None) -> None:
        """Hand a connection to the worker that owns the handle, or the next running one; without a handle, round robin."""
        first = next(self._turn) if handle is None else share_of(handle, self._of)
        for index in (*range(first, self._of), *range(first)):
            if (way := self._ways.get(index)) is not None:
                way.send(connection, handle)
                return
        self._homeless.append((connection, handle))

    @property
    def waiting(self) -> int:
        """The number of connections that have not reached a worker yet."""
        return len(self._homeless) + sum(len(way.waiting) for way in self._ways.values())

    def close(self) -> None:
        """Stop handing out connections. Workers see the end of their channel; remaining connections are closed."""
        left = [connection for connection, _ in self._homeless]
        for way in self._ways.values():
            left += [connection for connection, _ in way.close()]
        self._ways.clear()
        self._homeless.clear()
        for connection in left:
            connection.close()


class PeerChannel:
    """The channel to one worker. Connections that it does not accept at once wait here."""

    def __init__(self, channel: socket.socket) -> None:
        channel.setblocking(False)
        self._channel = channel
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self._listening = False
        self.waiting: deque[tuple[socket.socket, str | None]] = deque()

    def send(self, connection: socket.socket, handle: str | None) -> None:
        """Queue a connection for the worker, with the handle of its first request."""
        self.waiting.append((connection, handle))
        if not self._listening and self._again is None:
            self._flush()

    def close(self) -> list[tuple[socket.socket, str | None]]:
        """Close the channel. Returns the undelivered connections."""
        self._listen(False)
        if self._again is not None:
            self._again.cancel()
        self._channel.close()
        return list(self.waiting)

    def _flush(self) -> None:
        self._again = None
        while self.waiting:
            connection, _ = self.waiting[0]
            try:
                socket.send_fds(self._channel, [_MARK], [connection.fileno()])
            except BlockingIOError:
                self._listen(True)
                return
            except OSError as error:
                self._listen(False)
                if error.errno == errno.ETOOMANYREFS:  # the machine's limit of descriptors in flight is reached
                    self._again = self._loop.call_later(_AGAIN_S, self._flush)
                return  # otherwise the worker is gone, which its watcher reports
            self.waiting.popleft()
            connection.close()  # the worker has its own copy now
        self._listen(False)

    def _listen(self, wanted: bool) -> None:
        if wanted != self._listening:
            self._listening = wanted
            if wanted:
                self._loop.add_writer(self._channel.fileno(), self._flush)
            else:
                self._loop.remove_writer(self._channel.fileno())
