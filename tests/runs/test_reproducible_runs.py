"""A repeated run has the same results: two processes with nothing in common but the seed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import clean_environment, soundstage_command

pytestmark = pytest.mark.long

_TASKS = ("studio/errand", "studio/friday-summary", "campus/fa-cai-to-the-vet", "campus/one-copy-back")
_OF_THE_RUN = {"run", "trial", "wall_s", "head", "sig"}
"""Ids of the run and its trials, real times, and the seals over both."""
_HERE = {"PYTHONHASHSEED": "0", "TZ": "Asia/Shanghai", "LC_ALL": "C.UTF-8"}
_ELSEWHERE = {
    "PYTHONHASHSEED": "4242",
    "TZ": "America/St_Johns",  # its offset has half an hour, and the date differs
    "LC_ALL": "C",  # not UTF-8 by default
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}


def _results(data: Path, world_index: dict[str, str], agent: str, *plan: str) -> list[dict[str, Any]]:
    """Return the lines of a run in a new data folder, for which everything is built again."""
    environment = clean_environment() | {"PATH": os.environ["PATH"], **world_index}

    def soundstage(*words: str) -> str:
        command = [*soundstage_command(), "runs", *words, "--data", str(data)]
        done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=400)
        assert done.returncode == 0, done.stderr.decode(errors="replace")[-3000:]
        return done.stdout.decode()

    soundstage("start", *_TASKS, "-k", "2", "--seed", "11", "--agent-name", agent, *plan)
    soundstage("drive", "--last", "--agent", agent)
    lines = [
        json.loads(line) for line in soundstage("export", "--last", "--table", "results", "--as", "jsonl").splitlines()
    ]
    reproducible = [{name: value for name, value in line.items() if name not in _OF_THE_RUN} for line in lines]
    return sorted(reproducible, key=lambda line: (line["task"], line["faults"], line["k"]))


@pytest.mark.parametrize(
    ("agent", "plan"),
    [("oracle", ()), ("oracle-retry", ("--faults", "off,adversarial"))],
    ids=["alone", "under faults"],
)
def test_a_run_has_the_same_results_in_any_environment(tmp_path: Path, agent: str, plan: tuple[str, ...]) -> None:
    first = _results(tmp_path / "here", _HERE, agent, *plan)
    second = _results(tmp_path / "elsewhere", _ELSEWHERE, agent, *plan)
    assert len(first) == 2 * len(_TASKS) * (2 if plan else 1)
    assert all(line["success"] for line in first if line["faults"] == "off")
    assert first == second
