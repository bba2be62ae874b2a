"""Agents that are programs: one process per trial, with the trial in its environment and its answer on standard output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from soundstage.grading.checks import Outcome
from soundstage.runs.drive.agent import Submission, seconds_of
from soundstage.runs.models import LeasedTrial, UsageBody

USAGE_FILE = "usage.json"
MOST_ANSWER = 256 * 1024
"""Maximum bytes of standard output that are used; the rest is read and discarded."""

OUTCOMES: Mapping[int, Outcome] = {0: "done", 10: "asked", 11: "declined", 12: "gave_up"}
"""The outcome for each exit code of a program; any other code is a failure of the agent, counted as `gave_up`."""

TRY_AGAIN = 75
"""EX_TEMPFAIL of sysexits.h: a failure outside the agent, such as of its model's endpoint; the trial is repeated."""

_OWN = "SOUNDSTAGE_"
_MOST_COMPLAINT = 4096
_GRACE_S = 2.0
_DRAIN_S = 1.0


class BadCommand(ValueError):
    """The command or its environment cannot be used; the message is meant for the user."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program that works on trials; `words` is its command line, `passed` further environment variables."""

    words: tuple[str, ...]
    passed: Mapping[str, str]

    @classmethod
    def read(cls, line: str, names: Sequence[str], environment: Mapping[str, str]) -> Command:
        """Create an agent from a shell-like command line and the names of variables to pass to the program.

        Words that name existing files are made absolute, because the program starts in an empty folder.

        Raises:
            BadCommand: The program or a variable does not exist, or a variable must not be passed to agents.
        """
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise BadCommand(f"--agent {line!r}: {error}") from None
        program = shutil.which(words[0], path=environment.get("PATH")) if words else None
        if program is None:
            raise BadCommand(f"--agent {line!r}: there is no program {words[0]!r}" if words else "--agent: it is empty")
        for name in names:
            if name.startswith(_OWN):
                raise BadCommand(
                    f"--env {name}: variables that start with {_OWN} cannot be passed; the driver sets the agent's own ones"
                )
            if name not in environment:
                raise BadCommand(f"--env {name}: it is not set; name a variable of this environment")
        rest = (str(Path(word).absolute()) if Path(word).is_file() else word for word in words[1:])
        return cls((os.path.abspath(program), *rest), {name: environment[name] for name in names})

    async def work(self, trial: LeasedTrial) -> Submission:
        """Run the program in an empty temporary folder; terminate its child processes when it ends or is terminated."""
        with tempfile.TemporaryDirectory(prefix="trial-", ignore_cleanup_errors=True) as folder:
            answer, complaint = _OutputBuffer(MOST_ANSWER), _OutputBuffer(_MOST_COMPLAINT, last=True)
            async with _reading(answer) as output, _reading(complaint) as errors:
                try:
                    process = await asyncio.create_subprocess_exec(
                        *self.words,
                        stdin=asyncio.subprocess.DEVNULL,
                        stdout=output,
                        stderr=errors,
                        cwd=folder,
                        env=self._environment(trial),
                        start_new_session=True,  # a separate process group, so that it can be terminated as a whole
                    )
                except OSError as error:
                    return Submission(outcome="gave_up", error=f"{self.words[0]} does not start: {error.strerror}")
                finally:
                    os.close(output)
                    os.close(errors)
                try:
                    code = await process.wait()
                finally:
                    await _end(process)
            usage, problem = _usage(Path(folder) / USAGE_FILE)
        return _submission(code, answer, complaint, usage, problem)

    def _environment(self, trial: LeasedTrial) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            **self.passed,
            "SOUNDSTAGE_MCP_URL": trial.mcp.url,
            "SOUNDSTAGE_INSTRUCTION": trial.instruction,
            "SOUNDSTAGE_DEADLINE": str(int(time.time() + seconds_of(trial))),
        }


def _submission(
    code: int, answer: _OutputBuffer, complaint: _OutputBuffer, usage: UsageBody | None, problem: str | None
) -> Submission:
    text = answer.text.strip()
    if code == TRY_AGAIN:
        return Submission(
            "gave_up", text, usage, error=complaint.last_line or f"the agent ended with exit code {TRY_AGAIN}"
        )
    notes = [] if problem is None else [problem]
    if answer.cut:
        notes.append(f"its answer is longer than {MOST_ANSWER // 1024} KiB; only the beginning counts")
    if code not in OUTCOMES:
        ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        notes.append(f"the agent {ended}" + (f": {complaint.last_line}" if complaint.last_line else ""))
    return Submission(OUTCOMES.get(code, "gave_up"), text, usage, note="; ".join(notes) or None)


def _usage(file: Path) -> tuple[UsageBody | None, str | None]:
    """Return the usage that the program reported, and the problem if the report is invalid."""
    try:
        if file.is_symlink() or file.stat().st_size > MOST_ANSWER:
            return None, f"{USAGE_FILE} is not a regular file of at most {MOST_ANSWER // 1024} KiB"
        return UsageBody.model_validate_json(file.read_bytes()), None
    except FileNotFoundError:
        return None, None
    except (OSError, ValidationError) as error:
        problem = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        where = ".".join(map(str, problem["loc"]))
        return None, f"{USAGE_FILE}{f', {where}' if where else ''}: {problem['msg']}"


async def _end(process: asyncio.subprocess.Process) -> None:
    """Terminate the program's process group: gracefully if it still runs, so that it can stop a container, then by force."""
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(process.wait()), _GRACE_S)
    _signal(process.pid, signal.SIGKILL)
    await process.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


class _OutputBuffer:
    """The beginning, or the end, of a program's output."""

    def __init__(self, most: int, *, last: bool = False) -> None:
        self._most = most
        self._last = last
        self._bytes = b""
        self.cut = False

    def add(self, written: bytes) -> None:
        every = self._bytes + written if self._last or len(self._bytes) < self._most else self._bytes
        self.cut = self.cut or len(self._bytes) + len(written) > self._most
        self._bytes = every[-self._most :] if self._last else every[: self._most]

    @property
    def text(self) -> str:
        return self._bytes.decode(errors="replace").replace("\x00", "")

    @property
    def last_line(self) -> str:
        return next((line.strip() for line in reversed(self.text.splitlines()) if line.strip()), "")


@contextlib.asynccontextmanager
async def _reading(buffer: _OutputBuffer) -> AsyncIterator[int]:
    """Open the write end of a pipe; its input is stored when the block has ended.

    A process that left the group may hold the pipe open indefinitely, so only input that arrives shortly after the end is read.
    """
    loop = asyncio.get_running_loop()
    ours, theirs = os.pipe()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours, "rb"))

    async def drain() -> None:
        while written := await reader.read(65_536):
            buffer.add(written)

    draining = asyncio.create_task(drain())
    try:
        yield theirs
    finally:
        await asyncio.wait({draining}, timeout=_DRAIN_S)
        draining.cancel()
        transport.close()
