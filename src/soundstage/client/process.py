"""A gateway as a process of its own, which ends when this one does, however that comes about."""

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

_END_S = 20.0  # a gateway gives open calls five seconds, and then has upstreams to stop and contexts to close
_TOLD = 4000  # characters of its log that an error shows

_ROOT = Path(soundstage.__file__).parents[1]
# The same modules as here, wherever they are; -P keeps the current folder out of it.
_BOOT = (
    "import sys; r = sys.argv.pop(1); r in sys.path or sys.path.insert(0, r); "
    "from soundstage.cli.main import main; main()"
)


class GatewayProcess:
    """`soundstage serve` on a free port of this machine, started at once.

    It is attached by its standard input: when that ends, because this process ended it or is gone, the gateway ends too, and
    with it everything that it started. Settings of Soundstage in the environment are not handed down: what the gateway is
    comes from `options` and `token` alone. Its log is in the file `log` as long as it runs.
    """

    def __init__(self, options: Sequence[str], token: str | None) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUNDSTAGE_")}
        environment |= {"NO_COLOR": "1", "COLUMNS": "1000"}  # its words are for an error's message
        if token is not None:
            environment["SOUNDSTAGE_TOKEN"] = token  # the command line can be read by every user of the machine
        file, path = tempfile.mkstemp(prefix="soundstage-", suffix=".log")
        self.log = Path(path)
        try:
            self._process = subprocess.Popen(  # noqa: S603 this program itself
                [sys.executable, "-P", "-c", _BOOT, str(_ROOT), "serve", "--attached", "--port", "0", *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env=environment,
                # The terminal's interrupt is for whoever started it, who then ends it in order.
                process_group=0 if os.name == "posix" else None,
            )
        finally:
            os.close(file)

    def wait(self, timeout_s: float) -> str:
        """Its address, as soon as it answers.

        Raises:
            GatewayError: when it ended instead, or said nothing for `timeout_s`; with its own words.
        """
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()  # which ends every wait below

        timer = threading.Timer(timeout_s, give_up)
        timer.start()
        try:
            assert self._process.stdout is not None
            url = str(json.loads(self._process.stdout.readline())["url"])
            _wait_for_health(url, timeout_s)
        except (ValueError, OSError, http.client.HTTPException):
            code = self._process.wait()  # it is ending, or will be late
        else:
            return url
        finally:
            timer.cancel()
        words = self.log.read_text(errors="replace")[-_TOLD:].strip()
        problem = f"did not answer within {timeout_s:g} s" if late.is_set() else f"ended with exit code {code}"
        raise GatewayError(f"the gateway did not start, it {problem}: {words or 'it said nothing'}")

    def end(self) -> None:
        """End it in order; by force when it does not."""
        assert self._process.stdin is not None
        try:
            # A word, and not the end of the pipe alone: a process that was forked from this one may hold it open.
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
            with contextlib.suppress(OSError):  # what was not read any more cannot be flushed
                stream.close()
        self.log.unlink(missing_ok=True)


def _wait_for_health(url: str, timeout_s: float) -> None:
    """Until it serves: it listens before, so one request is enough, and is answered as soon as it can be."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=timeout_s)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    finally:
        connection.close()
