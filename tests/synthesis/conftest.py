"""Real servers that run without a network, and a pool of one of them, recorded once for all tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import output_of

_PINNED = Path(__file__).parent / "traverse"


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real servers at the versions of the lock file."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("servers")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_PINNED / name, folder)
    done = subprocess.run(["npm", "ci", "--silent", "--no-audit"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the real servers cannot be installed here: {done.stderr[-300:]}")
    return folder / "node_modules" / "@modelcontextprotocol"


@pytest.fixture(scope="session")
def memory_before(modules: Path) -> str:
    """The path of the memory server's release 2025.4.25."""
    return str(modules.parent / "server-memory-2025-4-25" / "dist" / "index.js")


@pytest.fixture(scope="session")
def memory(modules: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A recording of the memory server, and the folder with the coverage of the server's code."""
    pool = tmp_path_factory.mktemp("memory") / "pool"
    seen = pool.with_name("seen")
    where = str(modules / "server-memory" / "dist" / "index.js")
    scratch = ("--reset-scratch", "MEMORY_FILE_PATH", "--reset-scratch", f"NODE_V8_COVERAGE={seen}")
    output_of(run_here("traverse", "plan", "-o", str(pool), "--app", "memory", *scratch, "--", "node", where))
    plan = pool / "plan.yaml"
    plan.write_text(plan.read_text().replace("rate: 50/s", "rate: 2000/s"))
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "1000"))
    return pool, seen
