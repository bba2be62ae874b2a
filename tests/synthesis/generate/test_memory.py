"""End to end without a network: a real server is recorded, synthesised, served, and compared with its app."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from structlog.testing import capture_logs

from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.targets.live import LiveTarget
from soundstage.synthesis.traverse.plan import TargetSource, declaration_of
from soundstage.synthesis.traverse.replies import text_of
from tests.conftest import run_here, soundstage_command
from tests.synthesis.traverse.test_traverse import lines, output_of

pytestmark = pytest.mark.long
GOOD = Path(__file__).parent / "memory" / "good"
KNOWING = GOOD.with_name("knowing")
"""Candidates written with less information in the prompt, level by level."""
Call = tuple[str, dict[str, Any]]


def synthesised(pool: Path, data: Path, *options: str, code: int = 0) -> dict[str, Any]:
    run = ("synthesise", "run", str(pool), "--generator", f"scripted:{GOOD}", "--data", str(data), "--json", *options)
    done = run_here(*run)
    assert done.exit_code == code, done.output
    parsed: dict[str, Any] = json.loads(done.output)
    return parsed


@pytest.fixture(scope="session")
def made(memory: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The data folder with the app, and its lock."""
    data = tmp_path_factory.mktemp("synthesised")
    return data, synthesised(memory[0], data)


def test_every_tool_is_accepted_on_held_out_calls(
    made: tuple[Path, dict[str, Any]],
) -> None:
    lock = made[1]
    assert {name for name, tool in lock["tools"].items() if tool["answered_by"] != "kernel"} == set()
    held_out = lock["whole"]["held_out"]
    assert held_out["cases"] > 150
    assert held_out["outcome"]["rate"] >= 0.98
    assert held_out["false_positives"]["count"] == 0
    assert held_out["exact"]["rate"] >= 0.95
    assert held_out["state"]["rate"] >= 0.98
    assert lock["whole"]["episodes"]["agree"] == lock["whole"]["episodes"]["of"] > 5


def test_each_prompt_level_improves_the_candidates(
    made: tuple[Path, dict[str, Any]], memory: tuple[Path, Path], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    shutil.copytree(made[0] / "apps", data / "apps")
    for level in ("schema", "seeds", "adversarial", "sequences"):
        run = ("synthesise", "run", str(memory[0]), "--knowing", level, "--rounds", "1", "--json")
        output_of(run_here(*run, "--generator", f"scripted:{KNOWING}", "--data", str(data)))
    report = ("synthesise", "report", "memory", "--ablation", "--data", str(data))
    levels = json.loads(output_of(run_here(*report, "--json")))
    assert list(levels) == ["schema", "seeds", "adversarial", "sequences", "accepted"]
    figures = [one["figures"] for one in levels.values()]
    assert len({one["cases"] for one in figures}) == 1
    exact = [one["exact"]["count"] for one in figures]
    assert exact == sorted(exact)
    assert exact[0] < 0.6 * exact[-1]
    refused = [one["false_negatives"]["count"] for one in figures]
    assert refused == sorted(refused, reverse=True)  # candidates with less information refuse too much
    assert (
        refused[0] > 20 > refused[-2] > refused[-1] == 0
    )  # only the accepted calls teach which invalid input is accepted
    shown = output_of(run_here(*report, "--html", str(tmp_path / "ablation.html")))
    assert "schema, seeds, adversarial, sequences: written by scripted: written by hand for this project" in shown
    page = (tmp_path / "ablation.html").read_text()
    assert all(f"<h3>{level}</h3>" in page for level in levels)
    lock = json.loads((data / "apps" / "servers" / "memory" / "synthesis.json").read_text())
    assert lock == made[1]  # the served app is unchanged


def test_new_calls_get_the_same_replies_from_both(made: tuple[Path, dict[str, Any]], modules: Path) -> None:
    where = str(modules / "server-memory" / "dist" / "index.js")
    real = target(["node", where], {"MEMORY_FILE_PATH": "{scratch}/graph"})
    environment = {"SOUNDSTAGE_DATA": "{scratch}/data", "SOUNDSTAGE_APPS": str(made[0] / "apps")}
    ours = target([*soundstage_command(), "app", "memory", "--world", "empty"], environment)
    calls = [call for seed in range(6) for call in new_calls(random.Random(seed), 50)]
    left, right = (anyio.run(answers, one, calls) for one in (real, ours))
    differ = [(call, a, b) for call, a, b in zip(calls, left, right, strict=True) if canonical([*a]) != canonical([*b])]
    assert differ == []
    assert sum(refused for _, _, refused in left) > 20


def test_the_comparing_commands_agree_with_the_measured_values(
    made: tuple[Path, dict[str, Any]], memory: tuple[Path, Path], tmp_path: Path
) -> None:
    pytest.importorskip("sklearn")
    recorded, data = str(memory[0] / "traces.jsonl"), ("--data", str(made[0]), "--json")
    with capture_logs():
        free = run_here("fidelity", "--against", "sim", recorded, "--split", "held-out", *data)
    held_out = json.loads(output_of(free))
    assert held_out["episodes"]["apps"]["memory"]["outcome"]["share"] >= 0.98
    new = ("--pairs", "sim", "live:memory", "--new", "40", "--seed", "7", "--keep", str(tmp_path / "kept.json"))
    with capture_logs():
        output_of(run_here("fidelity", *new, recorded, *data))
    both = json.loads((tmp_path / "kept.json").read_text())
    for direction in both["directions"].values():
        assert direction["figures"]["calls"] == 20
        assert direction["figures"]["outcome"]["share"] >= 0.95
    keep = ("--pool", str(memory[0]), "--keep", str(tmp_path / "synthesised" / "memory.json"), "--reached", "47/48")
    output_of(run_here("synthesise", "report", "memory", *keep, *data))
    output_of(run_here("parity", "--results", str(tmp_path), "--page", str(tmp_path / "page.md")))
    page = (tmp_path / "page.md").read_text()
    assert "### memory, synthesised" in page
    assert "| 47 of 48 | 9 | 0 |" in page


def test_another_release_is_detected_by_its_changes(memory: tuple[Path, Path], memory_before: str) -> None:
    pytest.importorskip("sklearn")
    result = run_here("drift", str(memory[0]), "--json", "--", "node", memory_before)
    assert result.exit_code == 4
    changes = {(one["kind"], one["tool"]) for one in json.loads(result.output)["changes"]}
    whats = {(one["tool"], one["what"]) for one in json.loads(result.output)["changes"]}
    tools = {tool for _, tool in changes}
    assert len(tools) == 9
    assert {("output", tool) for tool in tools} <= changes  # structured content is new in the later release
    refused = "channel is jsonrpc_error, recorded result; the reply differs"  # refusals used another channel
    assert {"add_observations", "create_relations", "search_nodes"} <= {t for t, what in whats if what == refused}
    taken = "isError is false, recorded true; the reply differs"
    assert any(tool == "create_entities" and taken in what for tool, what in whats)  # a number was accepted as a name


def test_only_changed_tools_are_synthesised_again(
    made: tuple[Path, dict[str, Any]], memory: tuple[Path, Path], tmp_path: Path
) -> None:
    pool, data = tmp_path / "pool", tmp_path / "data"
    shutil.copytree(memory[0], pool)
    data.mkdir(mode=0o700)
    shutil.copytree(made[0] / "apps", data / "apps")
    files = {path: path.stat().st_mtime_ns for path in (data / "apps" / "kernels").rglob("*.py")}
    assert synthesised(pool, data, "--changed")["heldout_looks"] == made[1]["heldout_looks"]
    searched = next(
        one for one in lines(pool / "traces.jsonl") if one["tool"] == "search_nodes" and one["expect"]["ok"]
    )
    output_of(run_here("traverse", "review", str(pool), "--set", f"{searched['id']}=unclear", "--by", "Lin"))
    lock = synthesised(pool, data, "--changed")
    changed_tools = {name for name, tool in lock["tools"].items() if tool["inputs"] != made[1]["tools"][name]["inputs"]}
    assert changed_tools == {"search_nodes"}
    assert lock["tools"]["search_nodes"]["answered_by"] == "kernel"
    assert {path: path.read_bytes() for path in files} == {
        path: (made[0] / "apps" / path.relative_to(data / "apps")).read_bytes() for path in files
    }


def test_another_release_repeats_every_tool_with_changed_replies(
    made: tuple[Path, dict[str, Any]], memory: tuple[Path, Path], memory_before: str, tmp_path: Path
) -> None:
    pool, data = tmp_path / "pool", tmp_path / "data"
    data.mkdir(mode=0o700)
    shutil.copytree(made[0] / "apps", data / "apps")
    start = ("--reset-scratch", "MEMORY_FILE_PATH", "--", "node", memory_before)
    output_of(run_here("traverse", "plan", "-o", str(pool), "--app", "memory", *start))
    plan = (pool / "plan.yaml").read_text().replace("rate: 50/s", "rate: 2000/s")
    (pool / "plan.yaml").write_text(
        re.sub(r"open_world # .*", "write", plan)
    )  # the release declares nothing about its tools
    output_of(run_here("traverse", "run", str(pool), "--max-calls", "120"))
    before = synthesised(pool, data, "--changed", "--rounds", "1", code=1)
    assert before["heldout_looks"] == 1  # the held-out calls of this release were not used before
    for name, tool in before["tools"].items():
        assert tool["inputs"] != made[1]["tools"][name]["inputs"]
        assert tool["answered_by"] == "none", name  # a kernel for the later release is not served for the earlier one
    assert not any(path.startswith("kernels/memory/") for path in before["accepted"])
    after = synthesised(memory[0], data, "--changed")
    assert after["accepted"] == made[1]["accepted"]
    again = synthesised(memory[0], data, "--changed")
    assert again["heldout_looks"] == after["heldout_looks"]  # nothing is generated, and held-out calls are not used


def target(command: list[str], environment: Mapping[str, str]) -> LiveTarget:
    source = TargetSource(command=command[0], args=command[1:], cwd=os.getcwd())
    return LiveTarget(declaration_of(source, os.environ), environment)


async def answers(server: LiveTarget, calls: list[Call]) -> list[Any]:
    """Return a fresh server's replies to consecutive calls: text, structured content, and error flag."""
    async with server.fresh() as connection:
        replies = [await connection.call(*call) for call in calls]
    return [
        (text_of(one.reply), (one.reply or {}).get("structuredContent"), bool((one.reply or {}).get("isError")))
        for one in replies
    ]


def new_calls(chance: random.Random, count: int) -> list[Call]:
    """Return calls as an agent makes them, with occasional mistakes."""
    names = [
        chance.choice(("Quay", "quay", "Mole", "Buoy 7", "浮标", "")) + chance.choice(("", " east", "2"))
        for _ in range(6)
    ]

    def name() -> str:
        return chance.choice(names)

    def some() -> list[str]:
        return [chance.choice(names) for _ in range(chance.randint(0, 3))]

    def relations() -> list[dict[str, Any]]:
        return [
            {"from": name(), "to": name(), "relationType": chance.choice(("near", "of"))}
            for _ in range(chance.randint(0, 3))
        ]

    def made() -> Call:
        return chance.choice((
            ("create_entities", {"entities": [{"name": n, "entityType": name(), "observations": some()} for n in some()]}),
            ("create_relations", {"relations": relations()}),
            ("add_observations", {"observations": [{"entityName": name(), "contents": some()}]}),
            ("delete_entities", {"entityNames": some()[:1]}),
            ("delete_observations", {"deletions": [{"entityName": name(), "observations": some()}]}),
            ("delete_relations", {"relations": relations()}),
            ("search_nodes", {"query": name()[:3]}),
            ("open_nodes", {"names": some()}),
            ("read_graph", {}),
            ("search_nodes", {"query": chance.choice((7, None, ["a"]))}),
            ("create_entities", {"entities": [{"name": name()}]}),
        ))  # fmt: skip

    return [made() for _ in range(count)]
