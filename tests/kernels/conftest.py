"""Collects the cases of `tests/kernels/<app>/<tool>.jsonl`: one test a line, so `pytest tests/kernels/<app>` runs an app's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from soundstage.contexts.engine.keepers import MemoryKeeper
from tests import kept
from tests.kernels.cases import Case, mistakes, read_cases, run_case

_keeper = MemoryKeeper()


class CaseFile(pytest.File):
    """One tool's cases."""

    def collect(self) -> Iterator[pytest.Item]:
        for case in read_cases(self.path.parent.name, tool=self.path.stem):
            yield CaseItem.from_parent(self, name=case.name, case=case)


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.case = case

    def runtest(self) -> None:
        found = mistakes(self.case, run_case(self.case, _keeper, kept.worlds()))
        if found:
            raise _Mistaken("\n".join([self.case.where, *found]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, _Mistaken):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.number - 1, f"{self.case.tool}: {self.case.name}"


class _Mistaken(AssertionError):
    """A case came out differently."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    return CaseFile.from_parent(parent, path=file_path) if file_path.suffix == ".jsonl" else None
