"""A load generator in a separate process that uses as little CPU time as possible.

    python -m bench.lean PORT SECONDS < requests

Each request (JSON on stdin: a list of {"request": …, "expect": …}) has its own connection, on which it is sent again as soon as
its reply arrives. The result on stdout is {"calls": …, "seconds": …, "all_s": …, "cpu_s": …}; `all_s` includes the warm-up.

`bench.load` numbers its requests and parses every reply as JSON, which reduces the load on a server that can use the whole
machine. This generator checks only the status, the length and the expected words.
"""

from __future__ import annotations

import select
import socket
import sys
import time

import orjson

from bench.wire import HOST

_WARM_S = 0.5
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length: "
_GOOD = (b"HTTP/1.1 200", b"HTTP/1.1 201")


class WrongReply(Exception):
    """A server answered something else than what was expected."""


class _Asker:
    """One connection with its request."""

    __slots__ = ("_expect", "_received", "_request", "socket")

    def __init__(self, port: int, request: bytes, expect: bytes) -> None:
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request = request
        self._expect = expect
        self._received = b""

    def ask(self) -> None:
        self.socket.send(self._request)

    def answered(self) -> bool:
        """Take what has come; whether the reply is there, and as it should be."""
        data = self.socket.recv(262144)
        received = self._received + data if self._received else data
        end = received.find(_HEAD_END)
        if end >= 0 and data:
            at = received.find(_LENGTH) + len(_LENGTH)
            if len(received) < end + len(_HEAD_END) + int(received[at : received.index(b"\r", at)]):
                self._received = received
                return False
            if received.startswith(_GOOD) and self._expect in received and b'"isError":true' not in received:
                self._received = b""
                return True
        elif data:
            self._received = received
            return False
        raise WrongReply(f"{received[:500]!r}")


def run(port: int, seconds: float, wanted: list[tuple[bytes, bytes]]) -> dict[str, float]:
    """Send requests for `seconds` after a short warm-up."""
    poll = select.epoll()
    askers = {}
    for request, expect in wanted:
        asker = _Asker(port, request, expect)
        askers[asker.socket.fileno()] = asker
        poll.register(asker.socket.fileno(), select.EPOLLIN)
        asker.ask()
    first = time.perf_counter()
    _drive(poll, askers, _WARM_S)
    began, cpu = time.perf_counter(), time.process_time()
    calls = _drive(poll, askers, seconds)
    end = time.perf_counter()
    return {"calls": calls, "seconds": end - began, "all_s": end - first, "cpu_s": time.process_time() - cpu}


def _drive(poll: select.epoll, askers: dict[int, _Asker], seconds: float) -> int:
    calls, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for number, _ in poll.poll(1):
            if askers[number].answered():
                calls += 1
                askers[number].ask()
    return calls


if __name__ == "__main__":
    requests = [(one["request"].encode(), one["expect"].encode()) for one in orjson.loads(sys.stdin.buffer.read())]
    sys.stdout.write(orjson.dumps(run(int(sys.argv[1]), float(sys.argv[2]), requests)).decode())
