"""A reader: a process that runs one piece of work after another for its gateway, and ends with it.

Work arrives on standard input and answers leave on standard output, in frames. A slow consumer pauses the work, because the
pipe holds some tens of kilobytes at most.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from soundstage.gateway.reading.frames import FAILED, HEAD, PART, STOP, VALUE, WORK, Work, dump_error, to_frame
from soundstage.worlds import library


class Unwanted(BaseException):
    """The answer is no longer needed. It is not an `Exception`, so that work which handles exceptions does not catch it."""


class _Reader:
    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests = requests
        self._answers = answers
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._unwanted = threading.Event()

    def run(self) -> None:
        threading.Thread(target=self._receive, daemon=True).start()
        while True:
            self._do(self._waiting.get())
            gc.collect()

    def _receive(self) -> None:
        while len(head := self._requests.read(HEAD.size)) == HEAD.size:
            mark, length = HEAD.unpack(head)
            content = self._requests.read(length)
            if mark == STOP:
                self._unwanted.set()
            elif mark == WORK:
                self._unwanted.clear()
                self._waiting.put(content)
        os._exit(0)  # the gateway has ended

    def _do(self, content: bytes) -> None:
        try:
            work: Work = pickle.loads(content)  # noqa: S301 from the process that started this one
            made = work.function(*work.arguments)
            if isinstance(made, Iterator):
                for part in made:
                    if self._unwanted.is_set():
                        raise Unwanted
                    self._send(PART, part)
                made = None
            self._send(VALUE, pickle.dumps(made))
        except (Exception, Unwanted) as error:
            self._send(FAILED, dump_error(error))

    def _send(self, mark: bytes, content: bytes) -> None:
        self._answers.write(to_frame(mark, content))
        self._answers.flush()


def main() -> None:
    """Work for the parent process until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to every process; the gateway handles it
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[2]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by a library must not mix with answers
    if len(sys.argv) > 3:
        library.serve(Path(sys.argv[3]))
    gc.freeze()
    _Reader(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
