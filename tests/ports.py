"""Ports for programs that tests start. No other process takes one between its choice and the start."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterator
from functools import cache

HOST = "127.0.0.1"
# Below the range that systems use for outgoing connections, so that none of those occupies a chosen port.
_FIRST, _BLOCKS, _BLOCK = 20_000, 60, 200


def free_port() -> int:
    """Return a port of this process's block on which nothing listens."""
    return next(_free())


@cache
def _free() -> Iterator[int]:
    """Yield free ports until the end of the process, and hold the socket that claims its block open."""
    _claim, first = _claimed()
    yield from (port for port in itertools.cycle(range(first + 1, first + _BLOCK)) if _is_free(port))


def _claimed() -> tuple[socket.socket, int]:
    """Claim a block of ports that no other test process has, and return the UDP socket on its first port that marks it."""
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
