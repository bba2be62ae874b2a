"""A simulated app compared with a real server, and the page of the results. One of our own apps is the real server here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from structlog.testing import capture_logs

from soundstage.synthesis.fidelity.live import PlannedTarget
from soundstage.synthesis.targets.target import NotPossible
from soundstage.synthesis.traverse.judge import FailureTemplates
from soundstage.synthesis.traverse.plan import live, read_plan
from soundstage.synthesis.traverse.recording import Recording
from soundstage.synthesis.traverse.scrub import Scrubber
from tests.conftest import REPOSITORY, run_here

pytest.importorskip("sklearn")

SERVER = (
    "--",
    sys.executable,
    "-c",
    "from soundstage.cli.main import main; main()",
    "app",
    "filesystem",
    "--world",
    "empty",
)


def quietly(*arguments: str) -> Result:
    with capture_logs():
        return run_here(*arguments)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs") / "pool"
    made = quietly(
        "traverse", "plan", "-o", str(folder), "--app", "files", "--reset-scratch", "SOUNDSTAGE_DATA", *SERVER
    )
    assert made.exit_code == 0, made.output
    text = (folder / "plan.yaml").read_text()
    text = text.replace('"get_file_info":', '"get_file_info":\n    skip: tells the time')
    (folder / "plan.yaml").write_text(text.replace("rate: 50/s", "rate: 2000/s"))
    run = quietly("traverse", "run", str(folder), "--max-calls", "40")
    assert run.exit_code == 0, run.output
    return folder


def pairs(pool: Path, *options: str) -> dict[str, Any]:
    arguments = ("--pairs", "sim", "live:files", "--app", "filesystem", "--new", "24", *options, "--json")
    done = quietly("fidelity", str(pool / "traces.jsonl"), *arguments)
    assert done.exit_code == 0, done.output
    results: dict[str, Any] = json.loads(done.output)
    return results


@pytest.mark.long
def test_half_of_the_new_calls_come_from_each_side_and_a_server_agrees_with_itself(pool: Path, tmp_path: Path) -> None:
    results_file, page = tmp_path / "files.json", tmp_path / "page.html"
    results = pairs(pool, "--seed", "3", "--keep", str(results_file), "--html", str(page))
    assert {name: side["figures"]["calls"] for name, side in results["directions"].items()} == {
        "real to sim": 12,
        "sim to real": 12,
    }
    assert sum(tool["figures"]["calls"] for tool in results["tools"].values()) == 24
    assert "get_file_info" not in results["tools"]  # the plan leaves it out
    overall = results["overall"]
    assert (overall["false_positives"], overall["false_negatives"]) == (0, 0)
    assert overall["true_positives"] > 0
    assert overall["true_negatives"] > 0
    assert [(d["recorded"], d["ours"]) for d in results["disagreements"]] == []
    assert "24 new calls, seed 3" in page.read_text()
    again = pairs(pool, "--seed", "3")
    assert again["tools"].keys() == results["tools"].keys()  # the seed selects the same tools
    assert "parity.md: 1 results" in quietly(
        "parity", "--results", str(tmp_path), "--page", str(tmp_path / "parity.md")
    ).output.replace("\n", "")
    assert "| both | 24 |" in (tmp_path / "parity.md").read_text()


@pytest.mark.long
def test_differences_are_reported_with_the_real_server_as_the_reference(pool: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.json"
    given.write_text('{"allowed_directory": [{"path": "/srv/another"}]}')
    results = pairs(pool, "--given", str(given))
    overall = results["overall"]
    differing = overall["figures"]["exact"]
    assert differing["share"] < 1
    assert all(side["figures"]["to_the_end"]["share"] < 1 for side in results["directions"].values())
    assert any(
        "/srv/workspace" in str(d["recorded"]) and "/srv/another" in str(d["ours"]) for d in results["disagreements"]
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--pairs", "live:files", "sim"), 2, "expected sim and live:APP"),
        (("--pairs", "sim", "live:other"), 1, "is of files, not of other"),
        (("--pairs", "sim", "live:files"), 1, "no app 'files'"),
        (("--keep", "x.json"), 2, "is for --pairs"),
    ],
)
def test_an_impossible_comparison_is_refused(pool: Path, options: tuple[str, ...], code: int, message: str) -> None:
    done = quietly("fidelity", str(pool / "traces.jsonl"), *options)
    assert done.exit_code == code
    assert message in " ".join(done.output.replace("│", " ").split())


@pytest.mark.long
def test_a_live_call_uses_the_address_of_the_plan_or_is_not_made(pool: Path) -> None:
    planned = read_plan(Recording(pool))
    planned.plan.tools["read_file"].sentinels["path"] = "omar@harbour-shop.com"
    target = live(planned.plan, {})
    scrubber = Scrubber((), "key")
    real = PlannedTarget(planned, target, scrubber, FailureTemplates({}))
    shown = scrubber.value("omar@harbour-shop.com")
    assert shown != "omar@harbour-shop.com"
    assert real.named("read_file", {"path": shown}) == {"path": "omar@harbour-shop.com"}
    assert real.named("read_file", {"head": 1}) == {"head": 1}
    with pytest.raises(NotPossible, match="the plan names another path"):
        real.named("read_file", {"path": "somebody@else.example"})


def test_the_parity_page_agrees_with_its_results() -> None:
    folder = REPOSITORY / "docs"
    done = quietly("parity", "--check", "--results", str(folder / "parity"), "--page", str(folder / "parity.md"))
    assert done.exit_code == 0, done.output


def test_an_outdated_page_and_an_invalid_results_file_are_reported(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text((REPOSITORY / "docs/parity/filesystem.json").read_text())
    page = tmp_path / "parity.md"
    arguments = ("parity", "--results", str(tmp_path), "--page", str(page))
    assert json.loads(quietly(*arguments, "--json").output)[0]["calls"] == 300
    assert quietly(*arguments, "--check").exit_code == 0
    page.write_text(page.read_text().replace("300 calls", "900 calls"))
    assert "run `soundstage parity`" in quietly(*arguments, "--check").output
    (tmp_path / "y.json").write_text("{}")
    assert "is not a result" in quietly(*arguments).output
