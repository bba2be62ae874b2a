"""The checks themselves: parts of the tests, and commands that configuration and instructions name."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

FILES = ["tests/mutants/test_mutants.py", "tests/test_checks.py"]


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


@pytest.mark.parametrize(
    "file",
    [".ci/run", ".github/workflows/ci.yml", ".github/pull_request_template.md", "AGENTS.md", "CONTRIBUTING.md"],
)
def test_each_make_target_that_a_file_names_exists(file: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|[`;] ?|run: )(?:make|step) ([a-z-]+)", (REPOSITORY / file).read_text(), re.MULTILINE))
    assert named
    assert named - targets == set()


def test_each_hook_runs_a_tool_of_the_development_lock() -> None:
    text = (REPOSITORY / ".pre-commit-config.yaml").read_text()
    tools = set(re.findall(r"entry: \.venv/bin/([\w-]+)", text))
    lock = (REPOSITORY / "requirements-dev.lock").read_text()
    packages = {tool: "import-linter" if tool == "lint-imports" else tool for tool in tools}
    assert tools >= {"ruff", "mypy", "codespell", "lint-imports"}
    assert {tool for tool, package in packages.items() if f"\n{package}==" not in lock} == set()
