"""The built package holds everything that a user needs, and nothing that is only for us."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from soundstage.servers.catalogue import load_apps
from tests.conftest import REPOSITORY


@pytest.mark.long
def test_a_wheel_carries_kernels_schemas_and_worlds(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(REPOSITORY),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("soundstage-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for app in load_apps().values():
        assert f"soundstage/servers/{app.name}/tools.json" in names
        assert {f"soundstage/kernels/{app.name}/{t.replace('-', '_')}.py" for t in app.tools} <= names
    for source in (REPOSITORY / "worlds").rglob("*.*"):
        if source.suffix in {".json", ".jsonl", ".yaml"}:
            assert f"soundstage/{source.relative_to(REPOSITORY).as_posix()}" in names
    assert not [n for n in names if n.startswith(("tests/", "bench/", "docs/"))]
