"""Trying changes: each in a separate process, forked from one that has not imported the changed module."""

from __future__ import annotations

import ast
import importlib.util
import math
import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import CodeType

from tests.mutants.changes import Change, possible_changes

_MEMORY = 4 * 2**30  # a change that allocates without end is stopped here
_PATIENCE = 20  # times the limit in wall time, for a change that waits instead of computing
_BASELINE_S = 300.0  # cases that take longer without any change are too many
Check = Callable[[str], str | None]
"""Called with the changed module. Returns what failed, or None. It imports the modules that it checks."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file that can be changed, and the name of its module."""

    name: str
    path: Path
    shown: str
    source: str

    def changes(self) -> list[Change]:
        return possible_changes(self.source, self.shown)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a change. `killed_by` is empty if it survived."""

    change: Change
    killed_by: str


class AlreadyImported(RuntimeError):
    """The module to change is imported in the process that forks, so that a change would have no effect."""


def modules(folder: Path, package: str) -> list[Module]:
    """Return the modules below a folder that is imported as `package`, by path."""
    found_modules: list[Module] = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join([package, *(part for part in parts if part != "__init__")])
        found_modules.append(Module(name, path, str(path.relative_to(folder.parent.parent)), path.read_text()))
    return found_modules


def try_changes(
    changes: Sequence[Change], known: Sequence[Module], check: Check, *, jobs: int, limit_s: float
) -> list[Verdict]:
    """Return the result of each change, in order. A change that uses more than `limit_s` seconds of processor time counts as
    killed, so that a busy machine changes no result.

    Raises:
        AlreadyImported: with the name of a module.
    """
    by_file = {module.shown: module for module in known}
    for module in known:
        if module.name in sys.modules:
            raise AlreadyImported(f"{module.name} is imported already, so changing it would change nothing")
    waiting = list(enumerate(changes))[::-1]
    running: dict[Connection, tuple[int, _Trial]] = {}
    killed_by: dict[int, str] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            number, change = waiting.pop()
            trial = _started((change, by_file[change.file]), check, limit_s)
            running[trial.answer] = (number, trial)
        for number, trial in _ended(running):
            killed_by[number] = trial.verdict()
    return [Verdict(change, killed_by[number]) for number, change in enumerate(changes)]


def baseline(check: Check) -> tuple[str | None, float]:
    """Return what fails without any change, or None, and the seconds of processor time that the check takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    trial = _started(None, check, _BASELINE_S)
    wait([trial.answer])
    return trial.verdict() or None, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@dataclass(slots=True)
class _Trial:
    process: ForkProcess
    answer: Connection
    limit_s: float
    deadline: float

    def verdict(self) -> str:
        """Return the trial's answer, or the reason for its end."""
        try:
            if self.answer.poll():
                return self.answer.recv_bytes().decode()
        except EOFError:
            self.process.join()
            if self.process.exitcode != -signal.SIGXCPU:
                return "ended its process"
        finally:
            self.process.kill()
            self.process.join()
            self.answer.close()
        return f"took longer than {self.limit_s:.0f} s"


def _started(changed: tuple[Change, Module] | None, check: Check, limit_s: float) -> _Trial:
    answer, from_child = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_try, args=(changed, check, limit_s, from_child))
    process.start()
    from_child.close()
    return _Trial(process, answer, limit_s, time.monotonic() + _PATIENCE * limit_s)


def _ended(running: dict[Connection, tuple[int, _Trial]]) -> Iterator[tuple[int, _Trial]]:
    """Wait for the first trial that answers, ends or exceeds its time, and remove all such trials."""
    first = min(trial.deadline for _, trial in running.values())
    answered = wait(list(running), timeout=max(first - time.monotonic(), 0))
    for answer, (_, trial) in list(running.items()):
        if answer in answered or trial.deadline <= time.monotonic():
            yield running.pop(answer)


def _try(changed: tuple[Change, Module] | None, check: Check, limit_s: float, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit_s), math.ceil(limit_s) + 1))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        if changed:
            change, module = changed
            tree = change.applied(module.source)
            sys.meta_path.insert(0, _Changed(module, compile(tree, str(module.path), "exec")))
        problem = check(module.name if changed else "")
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"
    answer.send_bytes((problem or "").encode())


class _Changed(MetaPathFinder):
    """Imports one module in its changed form."""

    def __init__(self, module: Module, code: CodeType) -> None:
        self._module, self._code = module, code

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self._module.name:
            return None
        loader = _Loader(name, str(self._module.path))
        loader.code = self._code
        return importlib.util.spec_from_file_location(name, self._module.path, loader=loader)


class _Loader(SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code


def imported(module: Module, known: Sequence[Module]) -> set[str]:
    """Return the names of those of `known` that a module imports, directly or through others, including itself."""
    by_name = {m.name: m for m in known}
    names, looking = {module.name}, [module]
    while looking:
        for name in _imports(looking.pop()):
            if name in by_name and name not in names:
                names.add(name)
                looking.append(by_name[name])
    return names


def _imports(module: Module) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
