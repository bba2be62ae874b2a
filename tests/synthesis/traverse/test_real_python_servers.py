"""Recording real servers of PyPI, each in a separate environment."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import lines, output_of, report

HERE = Path(__file__).parent
CANDIDATES = HERE.parent / "generate"
REPO = "{scratch}/repo"
pytestmark = pytest.mark.long


def environment(folder: Path, *packages: str) -> Path:
    """Create an environment with these packages, and return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = [str(folder / "bin" / "pip"), "install", "-q", *packages]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the real server cannot be installed here: {done.stderr[-300:]}")
    return folder / "bin"


def seeds(pool: Path, calls: Sequence[tuple[str, dict[str, object]]]) -> None:
    """Write calls that are known to succeed."""
    rows = (json.dumps({"tool": tool, "arguments": arguments}) for tool, arguments in calls)
    (pool / "seeds.jsonl").write_text("\n".join(rows) + "\n")


def test_all_tools_of_the_git_server_succeed_and_most_of_their_branches_are_reached(tmp_path: Path) -> None:
    programs, pool, seen = (
        environment(tmp_path / "git", "mcp-server-git==2026.10.19", "coverage"),
        tmp_path / "pool",
        tmp_path,
    )
    settings = tmp_path / "coveragerc"
    settings.write_text("[run]\nbranch = true\nparallel = true\nsigterm = true\nsource_pkgs = mcp_server_git\n")
    start = ("sh", str(HERE / "harbour_repo.sh"), "{scratch}")
    server = (str(programs / "coverage"), "run", f"--rcfile={settings}", "-m", "mcp_server_git")
    scratch = ("--reset-scratch", f"COVERAGE_FILE={seen / '.coverage'}")
    output_of(run_here("traverse", "plan", "-o", str(pool), "--app", "git", *scratch, "--", *start, *server))
    seeds(pool, [
        ("git_add", {"repo_path": REPO, "files": ["notes.txt"]}),
        ("git_commit", {"repo_path": REPO, "message": "Lantern list"}),
        ("git_create_branch", {"repo_path": REPO, "branch_name": "winter"}),
        ("git_checkout", {"repo_path": REPO, "branch_name": "winter"}),
        ("git_diff", {"repo_path": REPO, "target": "HEAD~1"}),
        ("git_show", {"repo_path": REPO, "revision": "HEAD"}),
        ("git_branch", {"repo_path": REPO, "branch_type": "local"}),
    ])  # fmt: skip
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "150"))
    shown = report(pool)
    assert (shown["tools"], shown["succeed"]) == (12, 12)
    assert "mcp-server-git@2026.10.19" in (pool / "server.json").read_text()
    for step in (("combine", "-q"), ("json", "-q", "-o", "seen.json")):
        command = [str(programs / "coverage"), step[0], f"--rcfile={settings}", *step[1:]]
        subprocess.run(command, cwd=seen, check=True, capture_output=True)
    (of_server,) = (
        file["summary"]
        for name, file in json.loads((seen / "seen.json").read_text())["files"].items()
        if name.endswith("server.py")
    )
    assert of_server["num_branches"] > 60
    assert of_server["covered_branches"] >= 0.5 * of_server["num_branches"]


def test_the_sqlite_server_which_declares_no_effects_is_called_only_with_consent(tmp_path: Path) -> None:
    programs, pool = environment(tmp_path / "sqlite", "mcp-server-sqlite==2025.4.25", "mcp<2"), tmp_path / "pool"
    command = (str(programs / "mcp-server-sqlite"), "--db-path", "{scratch}/harbour.db")
    scratch = ("--reset-scratch", "UNUSED={scratch}/x")
    output_of(run_here("traverse", "plan", "-o", str(pool), "--app", "sqlite", *scratch, "--", *command))
    refused = report(pool)["refused_by_plan"]
    assert len(refused) == 6
    assert all("`allow: true`" in why for why in refused.values())
    assert "the plan allows no tool to be called" in run_here("traverse", "run", str(pool)).output
    text = (pool / "plan.yaml").read_text()
    (pool / "plan.yaml").write_text(text.replace("class: open_world #", "class: open_world\n    allow: true #"))
    seeds(pool, [
        ("create_table", {"query": "CREATE TABLE goods (id INTEGER PRIMARY KEY, title TEXT)"}),
        ("write_query", {"query": "INSERT INTO goods (title) VALUES ('lantern')"}),
        ("write_query", {"query": "INSERT INTO goods (title) VALUES ('rope'), ('buoy')"}),
        ("write_query", {"query": "DELETE FROM goods WHERE title LIKE 'l%'"}),
        ("read_query", {"query": "SELECT * FROM goods"}),
        ("read_query", {"query": "SELECT 6 * 7 AS answer"}),
        ("read_query", {"query": "SELECT date('2026-02-01', '+1 month') AS day"}),
        ("describe_table", {"table_name": "goods"}),
    ])  # fmt: skip
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "110"))
    shown = report(pool)
    assert shown["succeed"] == 6
    outcomes = {
        (t["expect"]["ok"], t["expect"]["is_error"], str(t["expect"]["response"])) for t in lines(pool / "traces.jsonl")
    }
    assert (
        False,
        False,
        "Error: Only SELECT queries are allowed for read_query",
    ) in outcomes  # a refusal without the flag
    assert (False, False, 'Database error: near "harbour": syntax error') in outcomes  # another one
    assert (True, False, "[{'answer': 42}]") in outcomes  # every written call was made
    run = (
        "synthesise",
        "run",
        str(pool),
        "--rounds",
        "1",
        "--generator",
        f"scripted:{CANDIDATES / 'sqlite'}",
        "--json",
    )
    done = run_here(*run, "--data", str(tmp_path / "data"))
    assert done.exit_code == 1  # nothing is served
    lock = json.loads(done.output)
    answered = {name: tool["answered_by"] for name, tool in lock["tools"].items()}
    assert answered == dict.fromkeys(answered, "none")  # the right words alone are not accepted
    assert lock["accepted"] == {}
