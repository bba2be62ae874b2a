"""The command `soundstage runs`."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import run_here
from tests.runs.conftest import ERRAND, TOKEN, Runner, Stage


def _runs(stage: Stage, *words: str) -> Any:
    return run_here("runs", *words, "--url", stage.url, "--token", TOKEN)


def test_a_run_is_started_followed_and_stopped(stage: Stage) -> None:
    options = [
        "-k",
        "2",
        "--faults",
        "off,flaky",
        "--seed",
        "3",
        "--agent-name",
        "acme",
        "--model",
        "m-1",
        "--calls",
        "9",
    ]
    made = json.loads(_runs(stage, "start", ERRAND, *options, "--durability", "memory", "--json").stdout)
    assert made["trials"] == 4
    shown = json.loads(_runs(stage, "show", "--last", "--json").stdout)
    assert (shown["id"], shown["agent"]["name"], shown["agent"]["model"]) == (made["id"], "acme", "m-1")
    assert [(t["k"], t["faults"], t["state"]) for t in shown["trials"]] == [
        (1, "off", "queued"), (1, "flaky", "queued"), (2, "off", "queued"), (2, "flaky", "queued"),
    ]  # fmt: skip
    runner = Runner(stage.url, made["id"], made["run_token"])
    trial, _ = runner.take()
    assert trial["limits"]["calls"] == 9
    runner.submit(trial, outcome="gave_up")
    text = _runs(stage, "show", made["id"]).stdout
    assert "1 of 4 trials done (1 answered), 0 open, 3 to go; success 0.000" in text
    assert made["id"] in _runs(stage, "list").stdout
    stopped = _runs(stage, "stop", made["id"]).stdout
    assert "stopped, 4 of 4 trials done" in stopped
    assert "incomplete" in stopped
    assert _runs(stage, "watch", made["id"]).exit_code == 0


def test_the_token_is_printed_once_with_the_next_step(stage: Stage) -> None:
    text = _runs(stage, "start", ERRAND).stdout
    run = text.split()[1]
    assert f"soundstage runs drive {run} --agent" in text
    assert "rt_" in text
    assert "rt_" not in _runs(stage, "show", run).stdout + _runs(stage, "show", run, "--json").stdout


def test_mistakes_are_reported(stage: Stage) -> None:
    for words, message in {
        ("show",): "name the run, or give --last",
        ("show", "r_1", "--last"): "name the run, or give --last",
        ("stop", "r_none"): "there is no run 'r_none'",
        ("start", "studio/none"): "there is no task and no world with tasks named 'studio/none'",
        ("start", ERRAND, "--faults", "hail"): "there is no preset 'hail'",
        ("start", ERRAND, "--tools", "few"): "tools",
    }.items():
        done = _runs(stage, *words)
        assert done.exit_code == 1, words
        assert message in done.output, done.output
