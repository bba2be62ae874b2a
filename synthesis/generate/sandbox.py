"""Running candidates where they can do no harm: a process of its own without environment, site or rights; see `child`."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import soundstage

_BOOT = "import sys; sys.path[:0] = sys.argv[1:]; from soundstage.synthesis.generate.child import main; main()"
_START_S = 60.0
_BESIDE_S = 20.0
"""What a job may take beyond its own limit: to be forked, killed and told, on a busy machine."""


class SandboxFailed(RuntimeError):
    """The process for candidates does not start, or has ended; the message says what it said."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call to be made: `refs` says which places of the arguments are what an earlier call of the run (by number, from 0) told,
    and at which place of its reply.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    refs: Mapping[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A state, as `PUT state` takes it, and calls one after another; `clock` is when, `seed` the session's."""

    calls: Sequence[Step]
    state: Mapping[str, Any] = field(default_factory=dict)
    clock: str | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """What a candidate answered: the reply as it goes on the wire, whether the app did it, MCP's flag, how many rows changed,
    microseconds, and the exception where its code raised one that no app's refusal is.
    """

    reply: Mapping[str, Any]
    ok: bool
    is_error: bool | None
    error_kind: str | None
    changed: int
    us: int
    raised: str | None


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run. `problem` says why there are no answers."""

    answers: Sequence[Answered] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None


class Sandbox:
    """The process, for as long as a `with` block. Jobs run one after another, each in a fork of its own."""

    def __init__(self) -> None:
        self.layers: tuple[str, ...] = ()

    def __enter__(self) -> Sandbox:
        package = Path(soundstage.__file__).parent.parent
        places = dict.fromkeys([str(package), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
        self._folder = tempfile.TemporaryDirectory(prefix="candidates-")
        self._errors = (Path(self._folder.name) / "errors").open("w+", encoding="utf-8")
        self._process = subprocess.Popen(  # noqa: S603 this Python, and code of our own
            [sys.executable, "-I", "-S", "-c", _BOOT, *places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={},
            cwd=self._folder.name,
            start_new_session=True,
        )
        self._read(_START_S)
        return self

    @property
    def process(self) -> int:
        """The process's id."""
        return self._process.pid

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            assert pipe is not None
            with suppress(BrokenPipeError):  # a job that the process did not live to read is still in the buffer
                pipe.close()
        self._folder.cleanup()

    def run(self, app: str, files: Mapping[str, bytes], runs: Sequence[Run], *, seconds: float = 60.0) -> list[Ran]:
        """What an app made of these files (by their paths below an app root) answers in each run.

        A run that the candidate did not come to, since it was stopped after `seconds` of wall time or had used up its memory, has
        that for its problem.

        Raises:
            SandboxFailed
        """
        job = {
            "app": app,
            "files": {path: content.decode("utf-8", "replace") for path, content in files.items()},
            "runs": [_plain(run) for run in runs],
            "seconds": seconds,
        }
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failed() from None
        told = self._read(seconds + _BESIDE_S)
        lines = [_object(line) for line in told["lines"]]
        if lines and "layers" in lines[0]:
            self.layers = tuple(map(str, lines.pop(0)["layers"]))
        problem = next((str(line["problem"]) for line in lines if "calls" not in line and len(lines) < len(runs)), None)
        found = [_ran(line) for line in lines[: len(runs)]]
        missing = problem or f"the candidate was stopped ({told['ended']}, {seconds:g} s)"
        return [*found, *(Ran(problem=missing) for _ in range(len(runs) - len(found)))]

    def _read(self, seconds: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                os.killpg(self._process.pid, signal.SIGKILL)
                raise self._failed()
        line = self._process.stdout.readline()
        if not line:
            raise self._failed()
        found: dict[str, Any] = json.loads(line)
        return found

    def _failed(self) -> SandboxFailed:
        self._errors.seek(0)
        said = self._errors.read()[-2000:]
        return SandboxFailed(f"the process for candidates has ended: {said or 'it said nothing'}")


def _plain(run: Run) -> dict[str, Any]:
    calls = [{"tool": c.tool, "arguments": c.arguments, "refs": dict(c.refs)} for c in run.calls]
    return {"calls": calls, "state": dict(run.state), "clock": run.clock, "seed": run.seed}


def _object(line: str) -> dict[str, Any]:
    """A line that a candidate's process said: untrusted as all of it."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {"problem": "what the candidate's process said is no JSON"}
    return found if isinstance(found, dict) else {"problem": "what the candidate's process said is no object"}


def _ran(line: Mapping[str, Any]) -> Ran:
    try:
        answers = [_answered(told) for told in line["calls"]]
        state = line["state"]
        if not isinstance(state, dict) or not all(_objects(entity) for entity in state.values()):
            raise TypeError
        return Ran(answers, state)
    except (KeyError, TypeError, ValueError, OverflowError):
        return Ran(problem=str(line.get("problem", "what the candidate's process said cannot be read"))[:2000])


def _answered(told: Mapping[str, Any]) -> Answered:
    """An answer, if it has the shape of one.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: it has not.
    """
    reply, kind, raised = told["reply"], told["error_kind"], told["raised"]
    error = reply.get("error", {}) if isinstance(reply, dict) else None
    if not isinstance(error, dict) or not _objects(reply.get("content", [])):
        raise TypeError
    if not all(text is None or isinstance(text, str) for text in (kind, raised)):
        raise TypeError
    flag = None if told["is_error"] is None else bool(told["is_error"])
    return Answered(reply, bool(told["ok"]), flag, kind, int(told["changed"]), int(told["us"]), raised)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)
