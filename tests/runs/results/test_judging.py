"""Results of a run over HTTP and by command: its bundle, tables, plots, exports, and comparison with another run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import Result

from soundstage.grading.oracle import OracleError
from soundstage.runs.bundle import read_bundle
from soundstage.runs.plots import PLOTS
from soundstage.runs.verifying import verify
from tests.conftest import run_here
from tests.runs.conftest import ERRAND, TOKEN, Agent, Runner, Stage


@pytest.fixture(scope="package")
def done(stage: Stage) -> Runner:
    """A finished run of the example task: one trial solved, one given up."""
    runner = stage.begin(k=2, agent={"name": "acme", "version": "3"})
    first, second = runner.lease(2)
    runner.submit(first, Agent(first["mcp"]["url"]).solve(ERRAND, stage.worlds), usage={"cost_usd": 0.5, "turns": 4})
    runner.submit(second, outcome="gave_up")
    stage.until_done(runner, 2)
    return runner


def command(stage: Stage, *words: str) -> Result:
    return run_here("runs", *words, environment={"SOUNDSTAGE_URL": stage.url, "SOUNDSTAGE_TOKEN": TOKEN})


def test_a_finished_trial_is_sealed(stage: Stage, done: Runner, tmp_path: Path) -> None:
    results = stage.results(done)
    assert {r["oracle_calls"] for r in results} == {6}
    assert all(r["sig"].startswith("ed25519:") and r["head"].startswith("b2:") for r in results)
    data = stage.api("GET", f"/runs/{done.run}/bundle").content
    checked = verify(data)
    assert (checked.damages, checked.trials) == ([], 2)
    assert [results[0]["sig"].rpartition(":")[0]] == checked.keys


def test_a_bundle_is_written_verified_and_graded_again(stage: Stage, done: Runner, tmp_path: Path) -> None:
    file, key = tmp_path / "r.soundstage", tmp_path / "their.key"
    assert "bytes" in command(stage, "bundle", done.run, "-o", str(file)).output
    key.write_text(run_here("runs", "key", "--data", str(stage.data)).output)
    assert "2 trials, by the key that was asked for" in run_here("runs", "verify", str(file), "--key", str(key)).output
    other = run_here("runs", "key", "--data", str(tmp_path)).output
    key.write_text(other)
    refused = run_here("runs", "verify", str(file), "--key", str(key))
    assert refused.exit_code == 1
    assert f"not {other.strip()}'s" in refused.output
    again = run_here("runs", "grade", str(file), "--data", str(tmp_path), "-o", str(tmp_path / "again.soundstage"))
    assert "2 of 2 verdicts are as they were sealed" in again.output
    assert json.loads(run_here("runs", "verify", str(tmp_path / "again.soundstage"), "--json").output)["whole"]
    assert "every verdict is as it was sealed" in run_here("runs", "regrade-diff", str(file)).output
    assert "2 of 2" in run_here("runs", "grade", str(file), "--fresh-tasks").output


@cache
def without_network() -> tuple[str, ...]:
    """Return a command prefix that removes network access, or an empty tuple if this machine allows none."""
    for words in (("unshare", "-n"), ("unshare", "-rn")):
        try:
            if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
                return words
        except FileNotFoundError:
            return ()
    return ()


def test_a_bundle_is_graded_in_an_empty_folder_without_a_network(stage: Stage, done: Runner, tmp_path: Path) -> None:
    alone = without_network()
    if not alone:
        pytest.skip("nobody may take a command's network away here: neither unshare -n nor unshare -rn works")
    bundle = stage.api("GET", f"/runs/{done.run}/bundle").content
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "r.soundstage").write_bytes(bundle)
    environment = {"PATH": os.environ["PATH"], "HOME": str(elsewhere), "PYTHONPATH": os.pathsep.join(sys.path)}

    def soundstage(*words: str) -> None:
        main = [sys.executable, "-c", "from soundstage.cli.main import main; main()"]
        subprocess.run([*alone, *main, *words], cwd=elsewhere, env=environment, check=True, timeout=120)

    soundstage("runs", "verify", "r.soundstage")
    soundstage("runs", "grade", "r.soundstage", "--data", str(elsewhere / "data"), "-o", "again.soundstage")
    with zipfile.ZipFile(elsewhere / "again.soundstage") as bundle_file:
        again, sealed = bundle_file.read("regraded/1.jsonl"), bundle_file.read("verdicts.jsonl")
    assert again == sealed
    assert len(sealed.splitlines()) == 2


def test_a_changed_byte_makes_verify_exit_with_one_and_is_located(stage: Stage, done: Runner, tmp_path: Path) -> None:
    file = tmp_path / "r.soundstage"
    command(stage, "bundle", done.run, "-o", str(file))
    data = bytearray(file.read_bytes())
    at = data.index(b'"tool":"im_v1_message_create"', data.index(b'"is":{"step"'))
    data[at + 10] ^= 1
    file.write_bytes(data)
    result = run_here("runs", "verify", str(file))
    assert result.exit_code == 1
    trial = stage.results(done)[0]["trial"]
    assert f"trials/{trial}.jsonl row" in result.output
    file.write_bytes(b"nothing")
    assert run_here("runs", "verify", str(file)).exit_code == 1
    refused = run_here("runs", "grade", str(file))
    assert refused.exit_code == 1
    assert "not a bundle, or damaged at byte 0" in refused.stderr


def test_a_run_is_reported_as_a_table_and_in_plots(stage: Stage, done: Runner, tmp_path: Path) -> None:
    report_text = command(stage, "report", done.run, "--plots", str(tmp_path)).output
    assert "acme" in report_text
    assert "0.500" in report_text
    assert {f.stem for f in tmp_path.iterdir()} == set(PLOTS)
    (row,) = json.loads(command(stage, "report", done.run, "--json").output)["rows"]
    assert (row["agent"], row["trials"], row["cost_usd"]) == ("acme", 2, 0.5)
    none: dict[str, Any] = json.loads(command(stage, "report", done.run, "--length", "20-30", "--json").output)
    assert none["rows"] == []
    assert command(stage, "report", done.run, "--length", "long").exit_code == 1
    assert "there are: success, pass" in stage.api("GET", f"/runs/{done.run}/plots/pie.svg").text


def test_the_list_of_runs_shows_the_results_of_each(stage: Stage, done: Runner) -> None:
    waiting = stage.begin(agent={"name": "still waiting"})
    rows = [line.split() for line in command(stage, "list", "--limit", "200").output.splitlines()]
    heads, of_done, of_waiting = (
        next(line for line in rows if line[:1] == [first]) for first in ("run", done.run, waiting.run)
    )
    assert heads == [
        "run",
        "agent",
        "tasks",
        "k",
        "state",
        "trials",
        "faults",
        "success",
        "(95",
        "%)",
        "score",
        "calls",
        "USD",
    ]
    assert of_done[1:10] == ["acme", "1", "2", "done", "2", "of", "2", "off", "0.500"]
    assert of_done[-3:] == ["0.500", "3.0", "0.5000"]
    assert of_waiting[-4:] == ["0", "of", "1", "off"]
    stage.api("POST", f"/runs/{waiting.run}/stop")


def test_the_seal_contains_the_turns_if_they_were_reported(stage: Stage, done: Runner) -> None:
    bundle = read_bundle(stage.api("GET", f"/runs/{done.run}/bundle").content)
    usages = [trial.header.usage for trial in bundle.trials.values()]
    assert sorted(usage.turns or 0 for usage in usages if usage is not None) == [4]
    rows = stage.api("GET", "/runs/report", params={"run": done.run}).json()["rows"]
    assert rows[0]["turns"] == 4


def test_tables_can_be_exported(stage: Stage, done: Runner) -> None:
    assert command(stage, "export", done.run, "--as", "csv").output.count("\n") == 3
    checks = command(stage, "export", done.run, "--table", "checks").output.splitlines()
    assert [json.loads(text)["check"] for text in checks] == ["planned", "told"] * 2
    assert len(command(stage, "export", done.run, "--table", "calls").output.splitlines()) == 6
    whole = command(stage, "export", done.run, "--table", "results").output.splitlines()
    assert [json.loads(text) for text in whole] == stage.results(done)
    assert command(stage, "export", done.run, "--table", "questions").output == ""
    refused = command(stage, "export", done.run, "--as", "csv", "--table", "results")
    assert refused.exit_code == 1
    assert "use as=jsonl, or one of the tables: calls, checks, faults, trials" in refused.stderr
    (conversation,) = command(stage, "export", done.run, "--as", "sft").output.splitlines()
    assert json.loads(conversation)["messages"][0]["role"] == "user"


def test_two_runs_are_compared(stage: Stage, done: Runner) -> None:
    other = stage.begin(k=1)
    trial, _ = other.take()
    other.submit(trial)
    stage.until_done(other)
    text = command(stage, "compare", done.run, other.run).output
    assert f"{done.run} → {other.run}, 1 tasks of both" in text
    assert "too few to show any" in text
    comparison = json.loads(command(stage, "compare", done.run, other.run, "--json").output)
    assert [f["task"] for f in comparison["flips"]] == [ERRAND]


def test_regrading_a_run_reports_the_changes(stage: Stage, done: Runner) -> None:
    assert stage.api("POST", f"/runs/{done.run}/grade").json() == []
    assert stage.api("POST", f"/runs/{done.run}/grade?fresh_tasks=true").json() == []


def test_an_unfinished_run_has_no_bundle(stage: Stage) -> None:
    runner = stage.begin()
    refused = stage.api("GET", f"/runs/{runner.run}/bundle")
    assert refused.status_code == 409
    assert "1 of 1 trials are not graded yet" in refused.text
    stage.api("POST", f"/runs/{runner.run}/stop")


_OF_THE_RUN = ("run", "trial", "wall_s", "head", "sig")


def test_two_runs_with_one_seed_have_the_same_results(stage: Stage) -> None:
    """The results are the same also under faults, except for the ids of run and trials, real times, and the seals over them."""

    def results() -> list[dict[str, Any]]:
        runner = stage.begin(k=2, seed=11, faults=["off", "calm"])
        for _ in range(4):
            trial, agent = runner.take()
            try:
                answer = agent.solve(ERRAND, stage.worlds)
            except (OracleError, httpx2.RemoteProtocolError):  # caused by a fault
                answer = "I could not."
            runner.submit(trial, answer)
        lines = stage.until_done(runner, 4)
        return [{name: value for name, value in line.items() if name not in _OF_THE_RUN} for line in lines]

    assert results() == results()
