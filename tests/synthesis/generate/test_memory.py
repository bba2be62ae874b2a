"""The showcase, end to end and without a network: a real server is recorded, synthesised, served, and asked beside its app."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.target.live import LiveTarget
from soundstage.synthesis.traverse.plan import TargetSource, declaration_of
from soundstage.synthesis.traverse.replies import said
from tests.conftest import run_here, soundstage_command
from tests.synthesis.traverse.test_traverse import lines, told

pytestmark = pytest.mark.long
GOOD = Path(__file__).parent / "memory" / "good"
Call = tuple[str, dict[str, Any]]


def synthesised(pool: Path, data: Path, *options: str) -> dict[str, Any]:
    run = ("synthesise", "run", str(pool), "--generator", f"scripted:{GOOD}", "--data", str(data), "--json", *options)
    found: dict[str, Any] = json.loads(told(run_here(*run)))
    return found


@pytest.fixture(scope="session")
def made(memory: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The data folder with the app, and its lock."""
    data = tmp_path_factory.mktemp("synthesised")
    return data, synthesised(memory[0], data)


def test_every_tool_is_accepted_by_what_it_does_with_calls_that_nobody_has_seen(
    made: tuple[Path, dict[str, Any]],
) -> None:
    lock = made[1]
    assert {name for name, tool in lock["tools"].items() if tool["answered_by"] != "kernel"} == set()
    held = lock["whole"]["held_out"]
    assert held["cases"] > 150
    assert held["outcome"]["rate"] >= 0.98
    assert held["false_positives"]["count"] == 0
    assert held["exact"]["rate"] >= 0.95
    assert held["state"]["rate"] >= 0.98
    assert lock["whole"]["episodes"]["agree"] == lock["whole"]["episodes"]["of"] > 5


def test_new_calls_get_the_same_from_both(made: tuple[Path, dict[str, Any]], modules: Path) -> None:
    where = str(modules / "server-memory" / "dist" / "index.js")
    real = target(["node", where], {"MEMORY_FILE_PATH": "{scratch}/graph"})
    environment = {"SOUNDSTAGE_DATA": "{scratch}/data", "SOUNDSTAGE_APPS": str(made[0] / "apps")}
    ours = target([*soundstage_command(), "app", "memory", "--world", "empty"], environment)
    calls = [call for seed in range(6) for call in new_calls(random.Random(seed), 50)]
    left, right = (anyio.run(answers, one, calls) for one in (real, ours))
    differ = [(call, a, b) for call, a, b in zip(calls, left, right, strict=True) if canonical([*a]) != canonical([*b])]
    assert differ == []
    assert sum(refused for _, _, refused in left) > 20


def test_another_release_is_told_by_what_has_changed(memory: tuple[Path, Path], memory_before: str) -> None:
    pytest.importorskip("sklearn")
    found = run_here("drift", str(memory[0]), "--json", "--", "node", memory_before)
    assert found.exit_code == 4
    changes = {(one["kind"], one["tool"]) for one in json.loads(found.output)["changes"]}
    whats = {(one["tool"], one["what"]) for one in json.loads(found.output)["changes"]}
    tools = {tool for _, tool in changes}
    assert len(tools) == 9
    assert {("output", tool) for tool in tools} <= changes  # structured content is new since then
    refused = "channel is jsonrpc_error, recorded result; the reply differs"  # refusals had another channel
    assert {"add_observations", "create_relations", "search_nodes"} <= {t for t, what in whats if what == refused}
    taken = "isError is false, recorded true; the reply differs"
    assert any(tool == "create_entities" and taken in what for tool, what in whats)  # a name that is a number was taken


def test_only_what_has_changed_is_made_again(
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
    told(run_here("traverse", "review", str(pool), "--set", f"{searched['id']}=unclear", "--by", "Lin"))
    lock = synthesised(pool, data, "--changed")
    asked = {name for name, tool in lock["tools"].items() if tool["inputs"] != made[1]["tools"][name]["inputs"]}
    assert asked == {"search_nodes"}
    assert lock["tools"]["search_nodes"]["answered_by"] == "kernel"
    assert {path: path.read_bytes() for path in files} == {
        path: (made[0] / "apps" / path.relative_to(data / "apps")).read_bytes() for path in files
    }


def target(command: list[str], environment: Mapping[str, str]) -> LiveTarget:
    source = TargetSource(command=command[0], args=command[1:], cwd=os.getcwd())
    return LiveTarget(declaration_of(source, os.environ), environment)


async def answers(server: LiveTarget, calls: list[Call]) -> list[Any]:
    """What a fresh server answers to calls, one after another: its text to the letter, structured content, whether it refuses."""
    async with server.fresh() as connection:
        heard = [await connection.call(*call) for call in calls]
    return [
        (said(one.reply), (one.reply or {}).get("structuredContent"), bool((one.reply or {}).get("isError")))
        for one in heard
    ]


def new_calls(chance: random.Random, count: int) -> list[Call]:
    """Calls as an agent makes them, with mistakes now and then."""
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
