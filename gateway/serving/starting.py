"""What a signal means to a gateway that does not serve yet."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType

_CODES = {signal.SIGTERM: 0, signal.SIGINT: 128 + signal.SIGINT}


class Starting:
    """Has SIGTERM and SIGINT end this process where it stands, until the server handles them.

    What a signal's handler raises comes up in whatever runs then, an import or a callback from C among it, which may make
    another exception of it, or none: pydantic makes a SchemaError of a SystemExit. So the signal is remembered, too.
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
        """Look whether a signal came.

        Raises:
            SystemExit: when one did.
        """
        if self._code is not None:
            raise SystemExit(self._code) from None

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._code = _CODES[signal.Signals(number)]
        sys.exit(self._code)
