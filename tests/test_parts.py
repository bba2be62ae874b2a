"""`--part N/M` runs a part of the tests; the parts together are all tests, and no test is in two."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

FILES = ["tests/mutants/test_mutants.py", "tests/test_parts.py"]


def collected(*options: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *options, *FILES]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.long
def test_the_parts_are_all_tests_and_share_none() -> None:
    parts = [collected("--part", f"{number}/3") for number in (1, 2, 3)]
    assert all(parts)
    assert sorted(itertools.chain(*parts)) == sorted(collected())


@pytest.mark.parametrize("part", ["4/3", "0/3", "third"])
def test_a_part_that_does_not_exist_is_refused(part: str) -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "--part", part, *FILES]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 4
    assert part in done.stderr
