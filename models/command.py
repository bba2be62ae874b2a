"""A model that is a program: the question on its standard input, the answer on its standard output."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from soundstage.models.asking import Answer, ModelError, Question, estimated_tokens

MOST_ANSWER = 8 * 2**20
"""Maximum bytes of a program's standard output; a program that writes more is terminated."""

_MOST_COMPLAINT = 4096
_LOOK_S = 0.1
_GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Command:
    """A program that answers questions.

    Its environment consists of PATH, LANG and the variables in `passed`. It runs in `folder`, or else in an empty temporary
    folder, for at most `timeout_s` seconds including its child processes. With `may_be_silent` it may print nothing and answer
    with files. It receives only the messages of a question; temperature, seed and length are not passed on.
    """

    words: tuple[str, ...] = field(repr=False)
    passed: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = 600.0
    folder: Path | None = None
    may_be_silent: bool = False

    @classmethod
    def read(
        cls, line: str, names: Sequence[str], environment: Mapping[str, str], *, timeout_s: float = 600.0
    ) -> Command:
        """Create a model from a shell-like command line and the names of variables to pass to the program.

        Words that name existing files are made absolute, because the program runs in another folder.

        Raises:
            ModelError: The program or a variable does not exist.
        """
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise ModelError(f"the model's command line cannot be read: {error}") from None
        program = shutil.which(words[0], path=environment.get("PATH")) if words else None
        if program is None:
            raise ModelError(f"there is no program {words[0]!r}" if words else "the model's command line is empty")
        if missing := [name for name in names if name not in environment]:
            raise ModelError(f"{missing[0]} is not set here; name a variable of the environment")
        rest = (str(Path(word).absolute()) if Path(word).is_file() else word for word in words[1:])
        return cls((os.path.abspath(program), *rest), {name: environment[name] for name in names}, timeout_s)

    @property
    def name(self) -> str:
        """The program's name with a digest of its command line, which may contain secrets."""
        digest = hashlib.blake2b("\0".join(self.words).encode(errors="surrogateescape"), digest_size=4).hexdigest()
        return f"command:{Path(self.words[0]).name}-{digest}"

    def ask(self, question: Question) -> Answer:
        """Run the program once.

        Raises:
            ModelError: It does not start, fails, times out, or prints nothing or too much.
        """
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            stdin, stdout, complaint = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            stdin.write(prompt_of(question).encode(errors="replace"))
            stdin.seek(0)
            folder = self.folder
            if folder is None:
                made = stack.enter_context(tempfile.TemporaryDirectory(prefix="asked-", ignore_cleanup_errors=True))
                folder = Path(made)
            try:
                process = subprocess.Popen(  # noqa: S603 (the program is the one that the user named)
                    self.words, stdin=stdin, stdout=stdout, stderr=complaint, cwd=folder, env=self._environment(),
                    start_new_session=True,  # a separate process group, so that it can be terminated as a whole
                )  # fmt: skip
            except OSError as error:
                raise ModelError(f"{self.words[0]} does not start: {error.strerror}") from None
            try:
                problem = self._wait(process, stdout)
            finally:
                _end(process)
            complaint_line = self._last_line(complaint)
            if problem is None and process.returncode:
                code = process.returncode
                problem = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            if problem is not None:
                raise ModelError(f"{self.name} {problem}" + (f": {complaint_line}" if complaint_line else ""))
            stdout.seek(0)
            text = stdout.read(MOST_ANSWER).decode(errors="replace")
        if not text.strip() and not self.may_be_silent:
            raise ModelError(f"{self.name} said nothing" + (f": {complaint_line}" if complaint_line else ""))
        return Answer(
            text, estimated_tokens(question.size), estimated_tokens(len(text.encode())), round(time.monotonic() - began, 3),
            estimated=True,
        )  # fmt: skip

    def _environment(self) -> dict[str, str]:
        inherited = {"PATH": os.environ.get("PATH", os.defpath), "LANG": os.environ.get("LANG", "C.UTF-8")}
        return inherited | dict(self.passed)

    def _wait(self, process: subprocess.Popen[bytes], stdout: IO[bytes]) -> str | None:
        """Wait for the program's end; return the problem if it has to be terminated."""
        until = time.monotonic() + self.timeout_s
        while True:
            try:
                process.wait(min(_LOOK_S, max(0.0, until - time.monotonic())))
                ended = True
            except subprocess.TimeoutExpired:
                ended = False
            if os.fstat(stdout.fileno()).st_size > MOST_ANSWER:
                return f"said more than {MOST_ANSWER // 2**20} MiB"
            if ended:
                return None
            if time.monotonic() >= until:
                return f"took longer than {self.timeout_s:g} s"

    def _last_line(self, complaint: IO[bytes]) -> str:
        complaint.seek(max(0, complaint.seek(0, os.SEEK_END) - _MOST_COMPLAINT))
        text = complaint.read(_MOST_COMPLAINT).decode(errors="replace")
        for secret in sorted(self.passed.values(), key=len, reverse=True):
            if len(secret) >= 4:
                text = text.replace(secret, "***")
        return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def prompt_of(question: Question) -> str:
    """Format a question as one text, with role headings if the conversation contains answers of the model."""
    messages = question.messages
    if any(message.role == "assistant" for message in messages):
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)
    return "\n\n".join(message.content for message in messages)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Terminate the process group: gracefully if the program still runs, then by force."""
    if process.poll() is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
