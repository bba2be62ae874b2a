"""A disk that is really full: a small file system mounted for the test, over real HTTP."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Gateway, clean_environment, soundstage_command, start_gateway, stop_gateway
from tests.gateway.agent_requests import ask, done, metric, refusal
from tests.ports import free_port

_SIZE = "64m"
_LOG = "gateway.log"


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A gateway whose data folder and log are on a small disk that only it sees. `folder` is the path by which the test reaches
    it.
    """

    gateway: Gateway
    folder: Path

    def fill(self) -> None:
        with (self.folder / "filler").open("ab", buffering=0) as filler:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while True:
                        filler.write(b"x" * size)

    def free(self) -> None:
        (self.folder / "filler").unlink()


def _prefix(folder: Path) -> list[str]:
    """Return a command that starts another one with a small disk mounted on a folder. The disk disappears when that command
    ends.
    """
    script = f'mount -t tmpfs -o size={_SIZE} tmpfs "$0" && exec "$@" 2>>"$0/{_LOG}"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(folder)]


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run([*_prefix(folder), "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("needs a small file system of its own, and this user may mount none here (unshare --mount)")
    gateway = start_gateway(folder, *getattr(request, "param", ()), prefix=_prefix(folder))
    try:
        yield SmallDisk(gateway, Path(f"/proc/{gateway.process.pid}/root{folder}"))
    finally:
        stop_gateway(gateway)


@pytest.mark.long
@pytest.mark.parametrize("disk", [["--min-free", "0"]], indirect=True)
def test_a_full_disk_is_reported_and_sessions_continue_without_loss_when_there_is_room(disk: SmallDisk) -> None:
    gateway = disk.gateway
    made = gateway.session(world="empty", durability="durable")
    path = f"/sessions/{made['id']}"
    answered = sum(done(ask(gateway.url, made["handle"], "before")) for _ in range(3))
    assert answered == 3

    disk.fill()
    for _ in range(300):
        answer = ask(gateway.url, made["handle"], "y" * 3000)
        if not done(answer):
            break
        answered += 1
    assert not done(answer), "the log of a context has had room for everything"
    for turn in range(5):
        answer = ask(gateway.url, made["handle"], f"{turn} " + "y" * 200_000)
        assert answer.status_code == 200
        assert "free disk space" in refusal(answer)

    put = gateway.api(
        "PUT", f"{path}/state?mode=add", json={"lark": {"task": [{"guid": "t", "summary": "z" * 300_000}]}}
    )
    assert put.status_code == 507
    assert "free disk space" in put.json()["error"]
    for there, body in (
        ("/sessions", {"world": "empty"}),
        ("/sessions", {"world": "campus"}),  # which must be built first
        (f"{path}/fork", {}),
        (f"{path}/snapshots", {}),
    ):
        refused = gateway.api("POST", there, json=body)
        assert refused.status_code == 507, (there, refused.text)
        assert "full" in refused.json()["error"]
    assert httpx2.get(f"{gateway.url}/healthz").status_code == 200
    assert metric(gateway.url, "soundstage_disk_free_bytes") < 1_000_000
    assert metric(gateway.url, "soundstage_refused_total", reason="disk") >= 6
    assert gateway.api("GET", path).status_code == 200
    assert len(gateway.journal(made["id"])) == answered

    disk.free()
    assert done(ask(gateway.url, made["handle"], "after"))
    assert [line["step"] for line in gateway.journal(made["id"])] == list(range(1, answered + 2))
    listed = gateway.api("GET", "/sessions").json()["sessions"]
    assert {s["id"] for s in listed if s["name"] != "default"} == {made["id"]}
    fork = gateway.api("POST", f"{path}/fork", json={})
    assert fork.status_code == 201
    assert gateway.api("POST", f"{path}/snapshots", json={}).status_code == 201
    assert "Traceback" not in (disk.folder / _LOG).read_text()


@pytest.mark.long
@pytest.mark.parametrize("disk", [["--min-free", "0", "--idle", "0.3"]], indirect=True)
def test_a_session_closed_before_the_disk_filled_is_not_considered_damaged(disk: SmallDisk) -> None:
    gateway = disk.gateway
    made = gateway.session(world="empty", durability="durable")
    assert done(ask(gateway.url, made["handle"], "before"))
    while metric(gateway.url, "soundstage_contexts_open"):
        pass
    disk.fill()
    answer = ask(gateway.url, made["handle"], "full")
    assert answer.status_code == 507
    assert "full" in refusal(answer)
    assert "damaged" not in refusal(answer)
    reset = gateway.api("POST", f"/sessions/{made['id']}/reset")
    assert reset.status_code == 507
    disk.free()
    assert done(ask(gateway.url, made["handle"], "after"))
    assert [line["step"] for line in gateway.journal(made["id"])] == [1, 2]


@pytest.mark.long
@pytest.mark.parametrize("disk", [["--min-free", "20000000"]], indirect=True)
def test_new_sessions_are_refused_before_the_disk_is_full_and_others_continue(disk: SmallDisk) -> None:
    gateway = disk.gateway
    made = gateway.session(world="empty", durability="durable")
    for _ in range(200):
        refused = gateway.api("POST", f"/sessions/{made['id']}/fork", json={})
        if refused.status_code != 201:
            break
    assert refused.status_code == 507
    assert "20,000,000 are to stay free" in refused.json()["error"]
    assert gateway.api("POST", f"/sessions/{made['id']}/snapshots", json={}).status_code == 507
    assert gateway.api("POST", "/sessions", json={"world": "empty"}).status_code == 507
    assert gateway.api("POST", "/sessions", json={"world": "empty", "durability": "memory"}).status_code == 201
    assert metric(gateway.url, "soundstage_disk_free_bytes") > 10_000_000
    assert all(done(ask(gateway.url, made["handle"], "y" * 3000)) for _ in range(50))


def test_a_gateway_does_not_start_on_a_full_disk_and_reports_the_reason(tmp_path: Path) -> None:
    prefix = _prefix(tmp_path)
    prefix[-2] = prefix[-2].replace(_SIZE, "64k").replace(f' 2>>"$0/{_LOG}"', "")
    try:
        subprocess.run([*prefix, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("needs a small file system of its own, and this user may mount none here (unshare --mount)")
    command = [*prefix, *soundstage_command(), "serve", "--port", str(free_port()), "--data", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=clean_environment())
    assert ended.returncode == 1
    assert "is full; free some space" in ended.stderr
    assert "damaged" not in ended.stderr
