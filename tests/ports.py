"""Ports for what tests start: never one that somebody else takes between the choice and the start."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterator
from functools import cache

HOST = "127.0.0.1"
# Below what systems give to outgoing connections, so that none of those sits on a port that a server is about to take.
_FIRST, _BLOCKS, _BLOCK = 20_000, 60, 200


def free_port() -> int:
    """A port of this process's own block on which nothing listens."""
    return next(_free())


@cache
def _free() -> Iterator[int]:
    """Goes on till the end of the process, and keeps the socket that claims its block open as long."""
    _claim, first = _claimed()
    yield from (port for port in itertools.cycle(range(first + 1, first + _BLOCK)) if _is_free(port))


def _claimed() -> tuple[socket.socket, int]:
    """A block of ports that no other process of tests has, and the UDP socket on its first one that says so."""
    for first in range(_FIRST, _FIRST + _BLOCKS * _BLOCK, _BLOCK):
        claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            claim.bind((HOST, first))
        except OSError:
            claim.close()
        else:
            return claim, first
    raise RuntimeError(f"no block of ports is left from {_FIRST}; too many runs of the tests at once")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
