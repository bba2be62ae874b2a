"""The tutorial on evaluation works as written, from the first command to the last."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, clean_environment, soundstage_command

_PAGE = (REPOSITORY / "docs" / "tutorials" / "evaluate-my-agent.md").read_text()
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_evaluation_tutorial_works_in_an_empty_folder(tmp_path: Path, worlds_folder: Path) -> None:
    (tmp_path / "worlds").symlink_to(worlds_folder)
    folder = Path(soundstage_command()[0]).parent
    environment = clean_environment() | {
        "SOUNDSTAGE_DATA": str(tmp_path),
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
    }
    outputs = []
    for kind, body in _FENCE.findall(_PAGE):
        if kind == "py":
            (tmp_path / "agent.py").write_text(body)
            continue
        done = subprocess.run(["bash", "-ec", body], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{body}\n{done.stdout}\n{done.stderr}"
        outputs.append(done.stdout)
    oracle, mine = outputs
    assert "success 100.0%" in oracle
    assert "success 0.0%" in mine
