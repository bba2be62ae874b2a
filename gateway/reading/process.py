"""A reader: a process that does one piece of work after another for the gateway which started it, and ends with it.

Work comes over the standard input, answers go over the standard output, in frames. Whoever has the answer taken slowly keeps
the work waiting: the pipe holds no more than some tens of kilobytes.
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

from soundstage.gateway.reading.frames import FAILED, HEAD, PART, STOP, VALUE, WORK, Work, framed, told
from soundstage.worlds import library


class Unwanted(BaseException):
    """Nobody waits for the answer any more. No `Exception`: work that handles those must not handle this one."""


class _Reader:
    def __init__(self, heard: BinaryIO, answers: BinaryIO) -> None:
        self._heard = heard
        self._answers = answers
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._unwanted = threading.Event()

    def run(self) -> None:
        threading.Thread(target=self._hear, daemon=True).start()
        while True:
            self._do(self._waiting.get())
            gc.collect()

    def _hear(self) -> None:
        while len(head := self._heard.read(HEAD.size)) == HEAD.size:
            mark, length = HEAD.unpack(head)
            content = self._heard.read(length)
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
                    self._say(PART, part)
                made = None
            self._say(VALUE, pickle.dumps(made))
        except (Exception, Unwanted) as error:
            self._say(FAILED, told(error))

    def _say(self, mark: bytes, content: bytes) -> None:
        self._answers.write(framed(mark, content))
        self._answers.flush()


def main() -> None:
    """Work for whoever has started this process, until it ends."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # the keyboard's, which reaches every process of a terminal, is the gateway's
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[2]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    if len(sys.argv) > 3:
        library.serve(Path(sys.argv[3]))
    gc.freeze()
    _Reader(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
