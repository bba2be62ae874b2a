"""Accept connections and find their sessions without consuming any data.

A connection is handed on with its first request's head unread, so no part of a call passes through this process.
"""

from __future__ import annotations

import asyncio
import socket

from soundstage.gateway.log import log
from soundstage.gateway.serving.crew import PeerWorkers
from soundstage.gateway.serving.head import MOST_BYTES, Head, read_head
from soundstage.gateway.serving.listener import turn_away

_AT_ONCE = 128  # connections accepted in a row before other work runs
_MOST_WAITING = 4096
_HEAD_S = 2.0
_LOOK_AGAIN_S = 0.02
_PAUSE_S = 0.5
_LAST_HANDSHAKES_S = 0.1
_CHECK_S = 0.02
_GRACE_LOOKS = 50


class Acceptor:
    """Accepts connections from a listening socket, passes them to a crew, and closes those that are silent for `silent_s` s."""

    def __init__(self, listener: socket.socket, crew: PeerWorkers, *, silent_s: float) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._crew = crew
        self._silent_s = silent_s
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[_Newcomer, None] = {}  # in the order of arrival
        self._paused: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to accept connections."""
        self._paused = None
        self._loop.add_reader(self._listener.fileno(), self._accept)

    async def finish(self) -> None:
        """Stop accepting, hand on the accepted connections, and close those that stay silent."""
        turn_away(self._listener)
        await asyncio.sleep(_LAST_HANDSHAKES_S)
        if self._paused is not None:
            self._paused.cancel()
        self._loop.remove_reader(self._listener.fileno())
        self._listener.close()
        for _ in range(_GRACE_LOOKS):
            if not self._waiting and not self._crew.waiting:
                break
            await asyncio.sleep(_CHECK_S)
        for newcomer in list(self._waiting):
            if newcomer.since is None:
                self._drop(newcomer)
            else:
                self._hand_on(newcomer, None)

    def _accept(self) -> None:
        if self._crew.waiting > _MOST_WAITING:
            self._pause("no worker takes them")
            return
        for _ in range(_AT_ONCE):
            try:
                connection, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # files or memory are exhausted, perhaps for a while
                self._pause(str(error))
                return
            connection.setblocking(False)
            newcomer = _Newcomer(connection)
            self._waiting[newcomer] = None
            self._look(newcomer)
            if len(self._waiting) > _MOST_WAITING:
                self._hand_on(next(iter(self._waiting)), None)

    def _pause(self, reason: str) -> None:
        log.error("connections cannot be accepted for now", reason=reason)
        self._loop.remove_reader(self._listener.fileno())
        self._paused = self._loop.call_later(_PAUSE_S, self.start)

    def _look(self, newcomer: _Newcomer) -> None:
        """Peek at the received data. It stays readable, so more data is awaited by polling."""
        try:
            received = newcomer.connection.recv(MOST_BYTES, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            self._listen(newcomer, True)
            newcomer.timer = newcomer.timer or self._loop.call_later(self._silent_s, self._drop, newcomer)
            return
        except OSError:
            self._drop(newcomer)
            return
        if not received:
            self._drop(newcomer)
            return
        newcomer.be_timed(None)
        head = read_head(received)
        now = self._loop.time()
        newcomer.since = newcomer.since or now
        if head is None and len(received) < MOST_BYTES and now - newcomer.since < _HEAD_S:
            self._listen(newcomer, False)
            newcomer.be_timed(self._loop.call_later(_LOOK_AGAIN_S, self._look, newcomer))
        else:
            self._hand_on(newcomer, head)

    def _hand_on(self, newcomer: _Newcomer, head: Head | None) -> None:
        self._forget(newcomer)
        self._crew.give(newcomer.connection, None if head is None else head.handle)

    def _drop(self, newcomer: _Newcomer) -> None:
        self._forget(newcomer)
        newcomer.connection.close()

    def _forget(self, newcomer: _Newcomer) -> None:
        self._listen(newcomer, False)
        newcomer.be_timed(None)
        del self._waiting[newcomer]

    def _listen(self, newcomer: _Newcomer, wanted: bool) -> None:
        if wanted != newcomer.listening:
            newcomer.listening = wanted
            if wanted:
                self._loop.add_reader(newcomer.connection.fileno(), self._look, newcomer)
            else:
                self._loop.remove_reader(newcomer.connection.fileno())


class _Newcomer:
    """A connection whose session is unknown yet. `since` is the time of its first byte."""

    __slots__ = ("connection", "listening", "since", "timer")

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.listening = False
        self.since: float | None = None
        self.timer: asyncio.TimerHandle | None = None

    def be_timed(self, timer: asyncio.TimerHandle | None) -> None:
        """Replace the connection's timer."""
        if self.timer is not None:
            self.timer.cancel()
        self.timer = timer
