"""Kill process groups when the gateway is gone: reads `+PID` and `-PID` from stdin until it closes.

`soundstage.gateway.upstream.stdio` runs it as a separate program. It imports nothing of Soundstage, so it starts in 10 ms.
"""

import contextlib
import os
import signal
import sys
import time

_GRACE_S = 2.0


def main() -> None:
    """Read process groups from standard input, and kill the remaining ones at its end."""
    groups: set[int] = set()
    for line in sys.stdin:
        pid = int(line[1:])
        if line[0] == "+":
            groups.add(pid)
        else:
            groups.discard(pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        if groups and number == signal.SIGTERM:
            time.sleep(_GRACE_S)


if __name__ == "__main__":
    main()
