"""A trial on a disk that is really full: its calls are refused, and the attempt is repeated when there is space."""

from __future__ import annotations

import contextlib
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from soundstage.runs.verifying import verify
from tests.conftest import Gateway, start_gateway, stop_gateway, wait_until
from tests.ports import free_port
from tests.runs.conftest import ERRAND, TOKEN, Runner

pytestmark = pytest.mark.long
_HEADERS = {"Authorization": f"Bearer {TOKEN}"}
_OPTIONS = ("--token", TOKEN, "--min-free", "0")
_RAISED = "lark_task_v2_task_create"


class Disk:
    """A file system of 64 MB with a gateway on it."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder = folder
        self.log = log
        self.port = free_port()
        self.gateway: Gateway | None = None

    def start(self) -> str:
        self.gateway = start_gateway(self.folder, *_OPTIONS, port=self.port, log=self.log)
        return self.gateway.url

    def fill(self) -> None:
        with (self.folder / "filler").open("ab", buffering=0) as filler:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while filler.write(b"x" * size):
                        pass

    def free(self) -> None:
        (self.folder / "filler").unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)],
            check=True,
            capture_output=True,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError):
        pytest.skip("this user may not mount a small file system (mount -t tmpfs), which a full disk needs")
    disk = Disk(folder, tmp_path / "gateway.log")
    try:
        disk.start()
        yield disk
    finally:
        if disk.gateway is not None and disk.gateway.process.poll() is None:
            stop_gateway(disk.gateway)
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=60)


def _begin(url: str, **plan: Any) -> Runner:
    body = {"tasks": [ERRAND], "durability": "durable", **plan}
    response = httpx2.post(f"{url}/api/runs", json=body, headers=_HEADERS, timeout=60)
    assert response.status_code == 201, response.text
    begun = response.json()
    return Runner(url, begun["id"], begun["run_token"])


def _get(runner: Runner, path: str) -> httpx2.Response:
    return httpx2.get(f"{runner.url}/api/runs/{runner.run}{path}", headers=_HEADERS, timeout=60)


def _trial(runner: Runner) -> dict[str, Any]:
    (row,) = _get(runner, "/trials").json()
    return dict(row)


def _result(runner: Runner) -> dict[str, Any]:
    """Return the trial's line of the results; the bundle with its seal is complete."""
    wait_until(lambda: _trial(runner)["state"] == "done")
    (line,) = _get(runner, "/results").text.splitlines()
    bundle = _get(runner, "/bundle")
    assert bundle.status_code == 200, bundle.text
    checked = verify(bundle.content)
    assert (checked.damages, checked.trials) == ([], 1)
    result: dict[str, Any] = httpx2.Response(200, text=line).json()
    return result


def _check_no_path(disk: Disk, *replies: str) -> None:
    for reply in replies:
        assert str(disk.folder) not in reply
        assert str(disk.folder.parent) not in reply


def test_refused_calls_end_the_attempt_as_infra_and_it_is_repeated(disk: Disk, worlds_folder: Path) -> None:
    assert disk.gateway is not None
    runner = _begin(disk.gateway.url)
    trial, agent = runner.take()
    assert agent.call(_RAISED, data={"summary": "before"}).status_code == 200
    disk.fill()
    for turn in range(300):
        refused = agent.call(_RAISED, data={"summary": f"{turn} " + secrets.token_hex(30_000)})
        if "free disk space" in refused.text:
            break
    assert "free disk space" in refused.text
    answer = runner.submit(trial, "I could not do it.")
    assert answer.status_code in (202, 409, 507), answer.text  # depends on the round of the gateway that closes trials
    disk.free()
    wait_until(lambda: _trial(runner)["state"] == "queued")
    assert _trial(runner)["infra"] == 1
    again, second = runner.take()
    assert again["attempt"] == 2
    assert runner.submit(again, second.solve(ERRAND, worlds_folder)).status_code == 202
    result = _result(runner)
    assert (result["ended"], result["success"]) == ("answered", True)
    _check_no_path(disk, *agent.replies, *runner.replies)
