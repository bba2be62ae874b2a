"""Signal handling of a gateway that is still starting."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType

_CODES = {signal.SIGTERM: 0, signal.SIGINT: 128 + signal.SIGINT}


class Starting:
    """Ends this process on SIGTERM and SIGINT until the server handles them.

    The exception of a signal handler is raised in the code that runs at that time, such as an import or a callback from C,
    which may replace or swallow it: pydantic turns a SystemExit into a SchemaError. So the signal is remembered, too.
    """

    def __init__(self) -> None:
        self._code: int | None = None

    def __enter__(self) -> Starting:
        for number in _CODES:
            signal.signal(number, self._end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.go_on()

    def go_on(self) -> None:
        """Check whether a signal arrived.

        Raises:
            SystemExit: a signal arrived.
        """
        if self._code is not None:
            raise SystemExit(self._code) from None

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._code = _CODES[signal.Signals(number)]
        sys.exit(self._code)
