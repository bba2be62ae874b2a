"""Collect the cases of `tests/kernels/<app>/<tool>.jsonl`: one test per file, so `pytest tests/kernels/<app>` runs an app's.

A test per case would be simpler to select, but pytest spends more time on an item than most cases take.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from soundstage.contexts.engine.storage import MemoryStorage
from tests import built_worlds
from tests.kernels.cases import failures, read_cases

_storage = MemoryStorage()


class CaseFile(pytest.File):
    """The cases of one tool."""

    def collect(self) -> Iterator[pytest.Item]:
        yield CasesItem.from_parent(self, name="cases")


class CasesItem(pytest.Item):
    """Run all cases of a tool and report every failing one with its file and line."""

    def runtest(self) -> None:
        cases = read_cases(self.path.parent.name, tool=self.path.stem)
        assert cases, f"{self.path} has no cases"
        if failed := failures(cases, _storage, built_worlds.folder()):
            raise CasesFailed("\n\n".join([*failed, f"{len(failed)} of {len(cases)} cases failed"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, CasesFailed | ValueError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.parent.name}/{self.path.stem}"


class CasesFailed(AssertionError):
    """Some cases of a tool failed; the message has the differences of each."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    return CaseFile.from_parent(parent, path=file_path) if file_path.suffix == ".jsonl" else None
