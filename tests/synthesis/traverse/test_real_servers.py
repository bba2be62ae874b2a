"""Recording real servers that run without a network: the coverage of their code, and that the recordings hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import lines, output_of, report
from tests.synthesis.traverse.v8_coverage import reached_blocks

pytestmark = pytest.mark.long


def test_every_tool_of_the_memory_server_succeeds_and_the_goals_are_reached(memory: tuple[Path, Path]) -> None:
    shown = report(memory[0])
    assert (shown["tools"], shown["succeed"]) == (9, 9)
    assert shown["goals"]["share"] >= 0.95
    assert shown["flaky"] == 0
    assert shown["volatile"] == {}
    proved = {(e["gives"], e["consumer"], e["takes"]) for e in shown["edges"] if e["proof"]}
    assert ("$.entities[*].name", "add_observations", "$.observations[*].entityName") in proved


def test_the_traces_contain_rules_that_are_not_in_the_memory_servers_schemas(memory: tuple[Path, Path]) -> None:
    traces = lines(memory[0] / "traces.jsonl")
    of = {(t["tool"], t["failure_class"], t["expect"]["ok"]) for t in traces}
    assert ("add_observations", "semantic.not_found", False) in of
    assert (
        "delete_observations",
        "semantic.not_found",
        True,
    ) in of  # "successful", although there is nothing to delete
    assert ("create_entities", "semantic.duplicate", True) in of  # skipped silently
    assert ("create_entities", "schema_violation", True) in of  # unknown members are dropped


def test_a_run_reaches_nine_tenths_of_the_memory_servers_tool_code(memory: tuple[Path, Path], modules: Path) -> None:
    script = modules / "server-memory" / "dist" / "index.js"
    run, there = reached_blocks(memory[1], script, "class KnowledgeGraphManager", "registerResource(")
    assert there > 40
    assert run >= 0.9 * there


def test_a_run_uses_files_that_it_wrote_and_reaches_the_filesystem_servers_tools(modules: Path, tmp_path: Path) -> None:
    pool, seen = tmp_path / "pool", tmp_path / "seen"
    script = modules / "server-filesystem" / "dist" / "index.js"
    scratch = ("--reset-scratch", f"NODE_V8_COVERAGE={seen}")
    output_of(
        run_here(
            "traverse", "plan", "-o", str(pool), "--app", "files", *scratch, "--", "node", str(script), "{scratch}"
        )
    )
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "1500"))
    shown = report(pool)
    assert (shown["tools"], shown["succeed"]) == (14, 14)
    assert shown["goals"]["share"] >= 0.95
    assert "$.content" not in shown["volatile"].get(
        "get_file_info", []
    )  # the times are hidden, but not the whole reply
    run, there = reached_blocks(seen, script, "const server = new", "async function updateAllowedDirectoriesFromRoots")
    assert there > 60
    assert run >= 0.9 * there
    assert "server-filesystem@2026.8.31" in (pool / "server.json").read_text()


def test_recordings_of_the_memory_server_replay_exactly(memory: tuple[Path, Path]) -> None:
    pytest.importorskip("sklearn")
    measured = run_here("fidelity", "--against", "live:memory", str(memory[0] / "traces.jsonl"), "--json")
    figures = json.loads(output_of(measured))["apps"]["memory"]
    assert figures["traces"] > 600
    assert figures["exact"] == figures["traces"]
    assert (figures["false_positives"], figures["false_negatives"]) == (0, 0)


def test_a_server_that_prints_its_environment_gets_none_of_the_callers(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARBOUR_CANARY", "canary-of-the-caller")
    where = str(modules / "server-everything" / "dist" / "index.js")
    pool = tmp_path / "pool"
    output_of(run_here("traverse", "plan", "-o", str(pool), "--app", "everything", "--", "node", where))
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "80"))
    everything = "".join(path.read_text() for path in pool.iterdir() if path.is_file())
    assert any(trace["tool"] == "get-env" for trace in lines(pool / "traces.jsonl"))
    assert "canary-of-the-caller" not in everything
