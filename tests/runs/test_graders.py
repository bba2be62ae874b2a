"""Grading takes place in worker processes: it has a time limit, does not block the gateway, and ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from soundstage.grading.oracle import oracle
from soundstage.grading.task import read_task
from soundstage.runs import graders
from soundstage.runs.bundle import Finished, finish, read_bundle, written_bundle
from soundstage.runs.regrading import regrade
from soundstage.runs.sealed import Sealed, from_bytes, task_digest
from soundstage.runs.signing import Key, data_key
from soundstage.runs.task_files import task_folder
from soundstage.runs.verifying import verify
from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.runs.conftest import ERRAND, TOKEN, Agent, Runner, Stage, rehearsal_of
from tests.runs.trials import sealed_trial

SLOW = b"""
checks:
  - {id: slow, title: Never ends, answer: {matches: "(a|a)*b"}}
"""


@pytest.fixture
def key(tmp_path: Path) -> Key:
    return data_key(tmp_path)


def _slow(worlds: Path) -> tuple[Sealed, str]:
    """Return a trial whose task has a pattern that takes for ever on its answer."""
    source = (task_folder(ERRAND) / "task.yaml").read_text()
    head, _, rest = source.partition("\nchecks:\n")
    after = rest.partition("\nnothing_else:")
    text = f"{head}{SLOW.decode()}{after[1]}{after[2]}"
    dry_run = rehearsal_of(ERRAND, worlds)
    sealed = sealed_trial(dry_run, oracle(dry_run.task), digest=task_digest(text.encode()))
    return replace(sealed, header=replace(sealed.header, answer="a" * 60)), text


def test_a_worker_reaches_the_same_verdict_as_this_process(worlds_folder: Path, key: Key) -> None:
    dry_run = rehearsal_of(ERRAND, worlds_folder)
    source = (task_folder(ERRAND) / "task.yaml").read_text()
    sealed = sealed_trial(dry_run, oracle(dry_run.task), digest=task_digest(source.encode()))
    here = finish(sealed, source.encode(), key)

    async def there() -> Finished:
        workers = graders.GraderPool(lambda: False)
        try:
            data, verdict, result = await workers.finish(sealed, source, key)
            assert from_bytes(data) == sealed
            return Finished(sealed, source.encode(), verdict, result)
        finally:
            await workers.close()

    outcome = asyncio.run(there())
    assert outcome.result == json.loads(json.dumps(here.result))
    assert written_bundle({}, [outcome], key) == written_bundle({}, [here], key)


def test_a_grading_over_its_time_limit_counts_as_infra_and_the_worker_is_killed(
    worlds_folder: Path, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graders, "LIMIT_S", 0.5)
    sealed, source = _slow(worlds_folder)

    async def grade_sealed() -> Finished:
        workers = graders.GraderPool(lambda: False)
        try:
            data, verdict, result = await workers.finish(sealed, source, key)
            return Finished(from_bytes(data), source.encode(), verdict, result)
        finally:
            await workers.close()

    outcome = asyncio.run(grade_sealed())
    assert (outcome.result["ended"], outcome.result["success"], outcome.result["score"]) == ("infra", False, 0.0)
    assert outcome.result["error"] == "not graded: it takes longer than 0.5 seconds"
    assert outcome.result["figures"]["failure"] == {"error": "Other", "because": "infra"}
    assert [c["why"] for c in outcome.verdict["checks"]] == [outcome.result["error"]]
    assert outcome.sealed.header.ended == "infra"
    bundle = written_bundle({}, [outcome], key)
    assert verify(bundle, key.public).whole
    assert read_bundle(bundle).verdicts[0]["verdict"]["success"] is False


def test_a_grading_ends_when_the_gateway_ends(worlds_folder: Path, key: Key) -> None:
    sealed, source = _slow(worlds_folder)

    async def grade_sealed() -> float:
        ending = False
        workers = graders.GraderPool(lambda: ending)
        grading = asyncio.create_task(workers.finish(sealed, source, key))
        await asyncio.sleep(0.2)
        ending, began = True, time.monotonic()
        with pytest.raises(graders.GradingInterrupted):
            await grading
        await workers.close()
        return time.monotonic() - began

    assert asyncio.run(grade_sealed()) < 10


def test_an_old_bundle_is_regraded_by_the_current_grader(worlds_folder: Path, key: Key) -> None:
    task, _ = read_task(task_folder(ERRAND))
    source = (task_folder(ERRAND) / "task.yaml").read_bytes()
    sealed = sealed_trial(rehearsal_of(ERRAND, worlds_folder), oracle(task), digest=task_digest(source))
    old = finish(sealed, source, key)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("bundle", "results"):
            patch.setattr(f"soundstage.runs.{module}.GRADER", "1.0")
        old = finish(sealed, source, key)
        data = written_bundle({}, [old], key)
    assert verify(data, key.public).whole
    bundle = read_bundle(data)
    assert bundle.verdicts[0]["grader"] == "1.0"
    again = regrade(bundle)
    assert [(v["grader"], v["verdict"]) for v in again] == [("1.1", bundle.verdicts[0]["verdict"])]


# -- a real gateway -----------------------------------------------------------------------------------------------------


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    made = start_gateway(tmp_path, "--token", TOKEN)
    yield made
    stop_gateway(made)


@pytest.mark.long
@pytest.mark.parametrize("durability", ["memory", "durable"])
def test_the_gateway_answers_during_grading_and_ends_on_sigterm(
    gateway: Gateway, worlds_folder: Path, tmp_path: Path, durability: str
) -> None:
    stage = Stage(gateway.url, tmp_path, worlds_folder)
    runner = stage.begin(durability=durability, limits={"calls": 200})
    trial, agent = runner.take()
    chat = rehearsal_of(ERRAND, worlds_folder).names["launch"][2]
    for i in range(40):  # each message is graded and has almost the maximum length
        _send(agent, chat, f"{i} " + "9:00 " * 6_500)
    answered = threading.Thread(target=_submit, args=(runner, trial), daemon=True)
    answered.start()
    slowest, graded_for, began = 0.0, 0.0, time.monotonic()
    while time.monotonic() - began < 3:
        sent = time.monotonic()
        assert httpx2.get(f"{gateway.url}/healthz", timeout=30).status_code == 200
        slowest = max(slowest, time.monotonic() - sent)
        graded_for = time.monotonic() - began
    signalled = time.monotonic()
    gateway.process.send_signal(signal.SIGTERM)
    gateway.process.wait(timeout=10)
    ended_in = time.monotonic() - signalled
    print(f"{durability}: {graded_for:.1f} s of grading, healthz {slowest:.3f} s at most, ended in {ended_in:.2f} s")
    assert slowest < 2


def _send(agent: Agent, chat: str, text: str) -> None:
    body = {"receive_id": chat, "msg_type": "text", "content": json.dumps({"text": text})}
    made = agent.call("lark_im_v1_message_create", data=body, params={"receive_id_type": "chat_id"})
    assert not made.json()["result"].get("isError"), made.text


def _submit(runner: Runner, trial: dict[str, object]) -> None:
    with contextlib.suppress(httpx2.HTTPError):  # the gateway ends
        runner.submit(trial, "9:00 " * 6_500)
