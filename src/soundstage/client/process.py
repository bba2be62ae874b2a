"""A gateway in a child process that ends when this process ends, even if this process is killed."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import soundstage
from soundstage.client.problems import GatewayError

_END_S = 20.0  # a gateway gives open calls five seconds, then stops upstreams and closes contexts
_LOG_SHOWN = 4000  # characters of its log that an error shows

_ROOT = Path(soundstage.__file__).parents[1]
# Import the same modules as this process; -P excludes the current folder.
_BOOT = (
    "import sys; r = sys.argv.pop(1); r in sys.path or sys.path.insert(0, r); "
    "from soundstage.cli.main import main; main()"
)


class GatewayProcess:
    """A `soundstage serve` process on a free port of this machine; it starts at once.

    The process is attached by its standard input: when that closes, because this process closed it or died, the gateway stops
    with everything that it started. It ignores Soundstage's environment variables: `options` and `token` alone configure it.
    Its log is in the file `log` while it runs.
    """

    def __init__(self, options: Sequence[str], token: str | None) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUNDSTAGE_")}
        environment |= {"NO_COLOR": "1", "COLUMNS": "1000"}  # its output becomes the message of an error
        if token is not None:
            environment["SOUNDSTAGE_TOKEN"] = token  # every user of the machine can read command lines
        file, path = tempfile.mkstemp(prefix="soundstage-", suffix=".log")
        self.log = Path(path)
        try:
            self._process = subprocess.Popen(  # noqa: S603 this program itself
                [sys.executable, "-P", "-c", _BOOT, str(_ROOT), "serve", "--attached", "--port", "0", *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env=environment,
                # The terminal's interrupt goes to the parent process, which then stops the gateway in order.
                process_group=0 if os.name == "posix" else None,
            )
        finally:
            os.close(file)

    def wait(self, timeout_s: float) -> str:
        """Wait until the gateway answers and return its address.

        Raises:
            GatewayError: It ended, or did not answer within `timeout_s`; the message is its own output.
        """
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()  # this ends every wait below

        timer = threading.Timer(timeout_s, give_up)
        timer.start()
        try:
            assert self._process.stdout is not None
            url = str(json.loads(self._process.stdout.readline())["url"])
            _wait_for_health(url, timeout_s)
        except (ValueError, OSError, http.client.HTTPException):
            code = self._process.wait()  # it is ending, or timed out and was killed
        else:
            return url
        finally:
            timer.cancel()
        words = self.log.read_text(errors="replace")[-_LOG_SHOWN:].strip()
        problem = f"did not answer within {timeout_s:g} s" if late.is_set() else f"ended with exit code {code}"
        raise GatewayError(f"the gateway did not start, it {problem}: {words or 'it said nothing'}")

    def end(self) -> None:
        """Stop the process: in order, and by force if it does not end in time."""
        assert self._process.stdin is not None
        try:
            # Write a line and do not rely on closing the pipe: a process forked from this one may hold it open.
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # it has ended already
            pass
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close()

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):  # unread data cannot be flushed
                stream.close()
        self.log.unlink(missing_ok=True)


def _wait_for_health(url: str, timeout_s: float) -> None:
    """Wait until the gateway serves. It listens before that, so one request is enough: it is answered as soon as possible."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=timeout_s)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    finally:
        connection.close()
