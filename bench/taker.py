"""A client that reads all data of a session: it requests all paths at once and discards the replies.

`python -m bench.taker PORT PATH…` exits with 1 if a request was rejected.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

from bench.wire import HOST

_PIECE = 1024 * 1024
_PATIENCE_S = 600


def take(port: int, path: str) -> int:
    """The status of an answer that was taken whole."""
    connection = HTTPConnection(HOST, port, timeout=_PATIENCE_S)
    connection.request("GET", path)
    answer = connection.getresponse()
    while answer.read(_PIECE):
        pass
    return answer.status


if __name__ == "__main__":
    port, paths = int(sys.argv[1]), sys.argv[2:]
    with ThreadPoolExecutor(len(paths)) as all_at_once:
        sys.exit(any(status != 200 for status in all_at_once.map(lambda path: take(port, path), paths)))
