"""Recording real servers that run without a network: how much of them a run reaches, seen from inside, and that it holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import lines, report, told

pytestmark = pytest.mark.long


def test_every_tool_of_the_memory_server_succeeds_and_the_goals_are_reached(memory: tuple[Path, Path]) -> None:
    shown = report(memory[0])
    assert (shown["tools"], shown["succeed"]) == (9, 9)
    assert shown["goals"]["share"] >= 0.95
    assert shown["flaky"] == 0
    assert shown["volatile"] == {}
    proved = {(e["gives"], e["consumer"], e["takes"]) for e in shown["edges"] if e["proof"]}
    assert ("$.entities[*].name", "add_observations", "$.observations[*].entityName") in proved


def test_what_no_schema_tells_of_the_memory_server_is_in_its_traces(memory: tuple[Path, Path]) -> None:
    traces = lines(memory[0] / "traces.jsonl")
    of = {(t["tool"], t["failure_class"], t["expect"]["ok"]) for t in traces}
    assert ("add_observations", "semantic.not_found", False) in of
    assert ("delete_observations", "semantic.not_found", True) in of  # "successful" where nothing is
    assert ("create_entities", "semantic.duplicate", True) in of  # left out without a word
    assert ("create_entities", "schema_violation", True) in of  # members that nobody knows are dropped


def test_a_run_reaches_nine_tenths_of_the_memory_servers_tool_code(memory: tuple[Path, Path], modules: Path) -> None:
    source = (modules / "server-memory" / "dist" / "index.js").read_text()
    counts: dict[tuple[int, int], int] = {}
    for file in memory[1].glob("*.json"):
        for script in json.loads(file.read_text())["result"]:
            if script["url"].endswith("server-memory/dist/index.js"):
                for function in script["functions"]:
                    for one in function["ranges"]:
                        place = (one["startOffset"], one["endOffset"])
                        counts[place] = counts.get(place, 0) + one["count"]
    begin, end = source.index("class KnowledgeGraphManager"), source.index("registerResource(")
    inside = {place: count for place, count in counts.items() if begin <= place[0] and place[1] <= end}
    assert len(inside) > 40
    assert sum(count > 0 for count in inside.values()) >= 0.9 * len(inside)


def test_recordings_of_the_memory_server_hold_to_the_letter(memory: tuple[Path, Path]) -> None:
    pytest.importorskip("sklearn")
    measured = run_here("fidelity", "--against", "live:memory", str(memory[0] / "traces.jsonl"), "--json")
    figures = json.loads(told(measured))["apps"]["memory"]
    assert figures["traces"] > 600
    assert figures["exact"] == figures["traces"]
    assert (figures["false_positives"], figures["false_negatives"]) == (0, 0)


def test_a_server_that_prints_its_environment_has_none_of_the_callers(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARBOUR_CANARY", "canary-of-the-caller")
    where = str(modules / "server-everything" / "dist" / "index.js")
    pool = tmp_path / "pool"
    told(run_here("traverse", "plan", "-o", str(pool), "--app", "everything", "--", "node", where))
    told(run_here("traverse", "run", str(pool), "--max-calls", "80"))
    everything = "".join(path.read_text() for path in pool.iterdir() if path.is_file())
    assert any(trace["tool"] == "get-env" for trace in lines(pool / "traces.jsonl"))
    assert "canary-of-the-caller" not in everything
