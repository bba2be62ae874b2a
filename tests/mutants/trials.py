"""Trying changes: each in a process of its own, forked from one that has not imported what is changed."""

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

_MEMORY = 4 * 2**30  # a change that never stops collecting ends here
_PATIENCE = 20  # times the limit by the clock on the wall, for a change that waits instead of computing
_BASELINE_S = 300.0  # cases that take longer than this without any change are too many
Check = Callable[[str], str | None]
"""Given the module that is changed: what went wrong, None when nothing did. It imports what it looks at itself."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file that can be changed, and the name it is imported by."""

    name: str
    path: Path
    shown: str
    source: str

    def changes(self) -> list[Change]:
        return possible_changes(self.source, self.shown)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a change: `killed_by` is empty when it survived."""

    change: Change
    killed_by: str


class AlreadyImported(RuntimeError):
    """What is to be changed is imported in the process that forks, so a change would not be seen."""


def modules(folder: Path, package: str) -> list[Module]:
    """The modules below a folder that is imported as `package`, by path."""
    found: list[Module] = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join([package, *(part for part in parts if part != "__init__")])
        found.append(Module(name, path, str(path.relative_to(folder.parent.parent)), path.read_text()))
    return found


def try_changes(
    changes: Sequence[Change], known: Sequence[Module], check: Check, *, jobs: int, limit_s: float
) -> list[Verdict]:
    """What became of each change, in their order. One that computes for longer than `limit_s` is killed by that: time of the
    processor, so that a busy machine changes no verdict.

    Raises:
        AlreadyImported: naming a module.
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
    """What goes wrong without any change (None when nothing does), and how many seconds of the processor that takes to see."""
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
        """Its answer, or what ended it instead."""
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
    """Waits for the first that answers, ends or is over its time; takes out all that did."""
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
        found = check(module.name if changed else "")
    except BaseException as error:
        found = f"{type(error).__name__}: {error}"
    answer.send_bytes((found or "").encode())


class _Changed(MetaPathFinder):
    """Has one module imported as it was changed."""

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
    """The names of those of `known` that a module imports, through others too, itself among them."""
    by_name = {m.name: m for m in known}
    found, looking = {module.name}, [module]
    while looking:
        for name in _imports(looking.pop()):
            if name in by_name and name not in found:
                found.add(name)
                looking.append(by_name[name])
    return found


def _imports(module: Module) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
