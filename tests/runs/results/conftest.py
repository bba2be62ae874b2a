"""A finished run for tests of results: the example task, solved and solved wrongly, with faults and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.grading.oracle import derived_script, oracle
from soundstage.grading.task import TASK_FILE, Task, read_task
from soundstage.runs.bundle import Finished, finish, written_bundle
from soundstage.runs.dry_run import DryRun
from soundstage.runs.sealed import Sealed, task_digest
from soundstage.runs.signing import Key, data_key
from soundstage.runs.task_files import task_folder
from tests.runs.conftest import ERRAND
from tests.runs.trials import sealed_trial

LOST = {"rules": [{"fault": "lost_ack", "times": 1, "match": {"tool": "im_v1_message_create"}}]}


@pytest.fixture(scope="package")
def task_text() -> bytes:
    return (task_folder(ERRAND) / TASK_FILE).read_bytes()


@pytest.fixture(scope="package")
def task() -> Task:
    return read_task(task_folder(ERRAND))[0]


@pytest.fixture(scope="package")
def dry_run(task: Task, worlds_folder: Path) -> DryRun:
    return DryRun(task, worlds_folder)


@pytest.fixture(scope="package")
def trials(task: Task, task_text: bytes, dry_run: DryRun) -> list[Sealed]:
    """Three trials: solved, solved with another time reported, and solved with a message sent twice after a lost answer."""
    wrong = next(derived_script(task, miss) for miss in task.near_misses if miss.name == "told another time")
    digest_argument = {"digest": task_digest(task_text)}
    return [
        sealed_trial(dry_run, oracle(task), trial="tr_01", k=1, **digest_argument),
        sealed_trial(dry_run, wrong, trial="tr_02", k=2, **digest_argument),
        sealed_trial(dry_run, oracle(task), trial="tr_03", k=1, faults=LOST, retries=1, **digest_argument),
    ]


@pytest.fixture(scope="package")
def key(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return data_key(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="package")
def finished(trials: list[Sealed], task_text: bytes, key: Key) -> list[Finished]:
    return [finish(one, task_text, key) for one in trials]


@pytest.fixture(scope="package")
def bundle(finished: list[Finished], key: Key) -> bytes:
    return written_bundle({"agent": "oracle"}, finished, key)
