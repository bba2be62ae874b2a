"""The official conformance suite against our server with every feature, first directly, then behind Soundstage."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Gateway

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
SCORED = {"2025-11-25": 30, "2026-07-28": 37}
_SCENARIO = re.compile(r"^(✓|✗) ([a-z0-9-]+): \d+ passed, (\d+) failed", re.MULTILINE)
_UNSCORED = re.compile(r"^  [✓✗] ([a-z0-9-]+) \(", re.MULTILINE)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def failures() -> Callable[[str, str], list[str]]:
    """Returns a function that runs the suite against an address and returns the scored scenarios that failed."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm, to install the conformance suite")
    folder = Path(os.environ.get("SOUNDSTAGE_TEST_NODE", REPOSITORY / ".venv" / "node"))
    node = folder / "node_modules" / ".bin" / "node"
    program = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "package.json").exists():
            (folder / "package.json").write_text('{"private": true}')
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "node@22", SUITE]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]

    def run(address: str, revision: str) -> list[str]:
        command = [str(node), str(program), "server", "--url", address, "--requirements", revision]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        unscored = set(_UNSCORED.findall(done.stdout))
        outcomes = {name: int(failed) for _, name, failed in _SCENARIO.findall(done.stdout) if name not in unscored}
        assert len(outcomes) == SCORED[revision], done.stdout[-3000:] + done.stderr[-2000:]
        return [name for name, failed in outcomes.items() if failed]

    return run


@pytest.mark.parametrize("revision", SCORED)
def test_the_server_passes_directly(
    failures: Callable[[str, str], list[str]], everything_http: str, revision: str
) -> None:
    assert failures(everything_http, revision) == []


@pytest.mark.parametrize("name", ["web", "process", "sse"])
@pytest.mark.parametrize("revision", SCORED)
def test_the_server_passes_the_same_scenarios_behind_soundstage(
    failures: Callable[[str, str], list[str]], front: Gateway, revision: str, name: str
) -> None:
    session = front.session(world="empty")
    assert failures(f"{front.url}/s/{session['handle']}/{name}/mcp", revision) == []
