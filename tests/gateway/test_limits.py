"""Limits on a client's use of a gateway: requests per second, sessions, bytes, open files."""

from __future__ import annotations

import asyncio
import os
import select
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx2
import pytest

from soundstage.gateway.sessions.problems import LowOnDisk, TooManySessions
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import DEFAULT_MAX_BODY, DEFAULT_MAX_IN_FLIGHT, Settings
from tests import built_worlds
from tests.conftest import Gateway, start_gateway, stop_gateway, wait_until
from tests.gateway.agent_requests import ask, done, metric, refusal
from tests.gateway.serving.wire import Connection


@contextmanager
def _running(data: Path, *options: str) -> Iterator[Gateway]:
    gateway = start_gateway(data, *options)
    try:
        yield gateway
    finally:
        stop_gateway(gateway)


def _files(gateway: Gateway) -> list[str]:
    """Return the context files that a gateway has open."""
    folder = Path(f"/proc/{gateway.process.pid}/fd")
    if not folder.exists():
        pytest.skip("needs /proc")
    names = []
    for entry in folder.iterdir():
        try:
            names.append(os.readlink(entry))
        except FileNotFoundError:
            continue
    return [name for name in names if f"{gateway.data}/sessions/" in name]


# -- requests per second ----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_each_handle_and_the_control_plane_have_separate_rates(tmp_path: Path) -> None:
    with _running(tmp_path, "--max-rate", "0.25") as gateway:
        one = gateway.session(world="empty")["handle"]
        late = gateway.api("GET", "/apps")
        assert late.status_code == 429
        assert "0.25 requests a second" in late.json()["error"]
        assert int(late.headers["Retry-After"]) in (1, 2, 3, 4)
        assert all(httpx2.get(f"{gateway.url}{path}").status_code == 200 for path in ("/healthz", "/metrics") * 3)

        assert done(ask(gateway.url, one, "first"))
        refused = ask(gateway.url, one, "second")
        assert refused.status_code == 429
        assert refused.json()["jsonrpc"] == "2.0"
        assert "0.25 requests a second" in refusal(refused)
        bearer = httpx2.post(f"{gateway.url}/mcp", json={}, headers={"Authorization": f"Bearer {one}"})
        assert bearer.status_code == 429
        assert done(ask(gateway.url, "default", "of another session"))
        assert metric(gateway.url, "soundstage_refused_total", reason="rate") == 3

        time.sleep(int(refused.headers["Retry-After"]))
        assert done(ask(gateway.url, one, "after waiting as long as told"))


@pytest.mark.long
def test_requests_without_the_token_do_not_use_up_the_rate_of_its_owner(tmp_path: Path) -> None:
    with _running(tmp_path, "--max-rate", "0.5", "--token", "secret") as gateway:
        wrong = [gateway.api("GET", "/apps", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(4)]
        assert set(wrong) == {401, 429}
        right = gateway.api("GET", "/apps", headers={"Authorization": "Bearer secret"})
        assert right.status_code == 200


@pytest.mark.long
def test_a_forwarded_request_is_counted_only_where_it_arrived(tmp_path: Path) -> None:
    with _running(tmp_path, "--max-rate", "3") as owner, _running(tmp_path, "--max-rate", "3") as other:
        made = owner.session(world="empty")
        assert all(done(ask(other.url, made["handle"], "through the other")) for _ in range(3))
        assert all(done(ask(owner.url, made["handle"], "directly")) for _ in range(3))
        assert metric(other.url, "soundstage_refused_total", reason="rate") == 0
        assert len(owner.journal(made["id"])) == 6


# -- sessions ---------------------------------------------------------------------------------------------------------


def test_sessions_above_the_limit_are_refused_until_one_is_deleted(tmp_path: Path) -> None:
    with _running(tmp_path, "--max-sessions", "3") as gateway:
        made = [gateway.session(world="empty") for _ in range(2)]  # the third is the default session
        for path, body in (("/sessions", {"world": "empty"}), (f"/sessions/{made[0]['id']}/fork", {})):
            refused = gateway.api("POST", path, json=body)
            assert refused.status_code == 429
            assert "3 sessions" in refused.json()["error"]
            assert "delete" in refused.json()["error"]
        assert metric(gateway.url, "soundstage_refused_total", reason="sessions") == 2
        assert metric(gateway.url, "soundstage_sessions") == 3
        assert gateway.api("DELETE", f"/sessions/{made[0]['id']}").status_code == 204
        gateway.session(world="empty", ttl=5)
        body = {"world": "empty", "durability": "memory"}
        assert gateway.api("POST", "/sessions", json=body).status_code == 429
        # The expired session makes room.
        wait_until(lambda: gateway.api("POST", "/sessions", json=body).status_code == 201)
        assert metric(gateway.url, "soundstage_sessions_expired_total") == 1


async def test_the_session_limit_is_exact_under_concurrent_creation(tmp_path: Path) -> None:
    sessions = Sessions(Settings(data=tmp_path, built=built_worlds.folder(), max_sessions=5))
    await sessions.start()
    try:
        making = [sessions.create(NewSession(world="empty")) for _ in range(20)]
        results = await asyncio.gather(*making, return_exceptions=True)
        assert sum(isinstance(one, TooManySessions) for one in results) == 15
        assert await sessions.count() == 5
    finally:
        await sessions.stop()


async def test_new_sessions_are_refused_if_too_little_disk_space_is_left(tmp_path: Path) -> None:
    sessions = Sessions(Settings(data=tmp_path, built=built_worlds.folder(), min_free=10**18))
    await sessions.start()
    try:
        with pytest.raises(LowOnDisk, match="1,000,000,000,000,000,000 are to stay free"):
            await sessions.create(NewSession(world="empty"))
        in_memory = await sessions.create(NewSession(world="empty", durability="memory"))
        await sessions.snapshot(in_memory)
        assert await sessions.count() == 1
    finally:
        await sessions.stop()


# -- bytes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("durability", [pytest.param("durable", marks=pytest.mark.long), "memory"])
def test_a_session_at_its_size_limit_reports_it_and_can_be_reset(tmp_path: Path, durability: str) -> None:
    with _running(tmp_path, "--max-session-bytes", "4000000") as gateway:
        made = gateway.session(world="empty", durability=durability)
        answered = 0
        for _ in range(500):
            answer = ask(gateway.url, made["handle"], "y" * 3000)
            if not done(answer):
                break
            answered += 1
        assert answer.status_code == 200
        assert "4,000,000 bytes" in refusal(answer)
        assert "reset" in refusal(answer)
        assert 0 < answered < 500
        path = f"/sessions/{made['id']}"
        state = {"lark": {"task": [{"guid": "t", "summary": "z" * 1_000_000}]}}
        put = gateway.api("PUT", f"{path}/state?mode=add", json=state)
        assert put.status_code == 507
        assert "4,000,000 bytes" in put.json()["error"]
        assert metric(gateway.url, "soundstage_refused_total", reason="bytes") == 2
        assert len(gateway.journal(made["id"])) == answered
        assert gateway.api("POST", f"{path}/reset").status_code == 200
        assert done(ask(gateway.url, made["handle"], "again"))


# -- open files -------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_idle_session_is_closed_without_its_agent_noticing(tmp_path: Path) -> None:
    with _running(tmp_path, "--idle", "1") as gateway:
        made = gateway.session(world="empty", durability="durable")
        assert done(ask(gateway.url, made["handle"], "before"))
        assert any(made["id"] in name for name in _files(gateway))
        wait_until(lambda: not _files(gateway))
        assert metric(gateway.url, "soundstage_contexts_closed_total", reason="idle") >= 1
        assert metric(gateway.url, "soundstage_contexts_open") == 0
        assert done(ask(gateway.url, made["handle"], "after"))
        assert [line["step"] for line in gateway.journal(made["id"])] == [1, 2]


@pytest.mark.long
def test_sessions_are_closed_during_calls_without_losing_any(tmp_path: Path) -> None:
    with _running(tmp_path, "--idle", "0.1", "--max-open", "3") as gateway:
        made = [gateway.session(world="empty", durability="durable") for _ in range(8)]

        def work(number: int) -> int:
            with httpx2.Client() as client:
                good = 0
                for turn in range(15):
                    good += done(ask(gateway.url, made[number]["handle"], f"turn {turn}", client=client))
                    time.sleep(0.03 * (number % 4))
            return good

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [15] * 8
        for session in made:
            assert [line["step"] for line in gateway.journal(session["id"])] == list(range(1, 16))
        closed = [metric(gateway.url, "soundstage_contexts_closed_total", reason=why) for why in ("idle", "room")]
        assert all(number > 0 for number in closed)


def test_metrics_cover_sessions_gateways_and_the_disk(gateway: Gateway) -> None:
    assert metric(gateway.url, "soundstage_gateways") == 1
    assert metric(gateway.url, "soundstage_registry_up") == 1
    assert metric(gateway.url, "soundstage_draining") == 0
    assert 0 < metric(gateway.url, "soundstage_disk_free_bytes") < metric(gateway.url, "soundstage_disk_bytes")
    assert metric(gateway.url, "soundstage_sessions") >= 1


@pytest.mark.long
def test_hundreds_of_sessions_stay_within_the_open_file_limit(tmp_path: Path) -> None:
    most = 40
    with _running(tmp_path, "--max-open", str(most)) as gateway:
        made = [gateway.session(world="empty", durability="durable") for _ in range(400)]
        assert len(_files(gateway)) <= 3 * most
        with httpx2.Client() as client:
            for turn in range(2):
                for session in made:
                    assert done(ask(gateway.url, session["handle"], f"turn {turn}", client=client))
                assert len(_files(gateway)) <= 3 * most
        assert metric(gateway.url, "soundstage_contexts_open") <= most
        assert metric(gateway.url, "soundstage_sessions") == 401


@pytest.mark.long
def test_streams_waiting_for_notifications_keep_no_session_open(tmp_path: Path) -> None:
    with _running(tmp_path, "--max-open", "2") as gateway, httpx2.Client(timeout=60) as client, ExitStack() as streams:
        for _ in range(5):
            made = gateway.session(durability="durable", world="empty")
            headers = {"Accept": "text/event-stream"}
            address = f"{gateway.url}/s/{made['handle']}/mcp"
            assert streams.enter_context(client.stream("GET", address, headers=headers)).status_code == 200
        assert metric(gateway.url, "soundstage_contexts_open") == 2


# -- endless bodies -----------------------------------------------------------------------------------------------------


def _memory(gateway: Gateway) -> int:
    """Return the gateway's memory use in bytes."""
    status = Path(f"/proc/{gateway.process.pid}/status")
    if not status.exists():
        pytest.skip("needs /proc")
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def _answered(senders: list[Connection], number: int) -> list[Connection]:
    """Return the senders that have an answer, once there are at least `number` of them."""
    deadline = time.monotonic() + 60
    while len(readable := select.select([s.socket for s in senders], [], [], 0.2)[0]) < number:
        assert time.monotonic() < deadline, len(readable)
        time.sleep(0.1)
    return [s for s in senders if s.socket in readable]


@pytest.mark.long
def test_sixty_unfinished_bodies_use_only_one_clients_share_of_memory(gateway: Gateway) -> None:
    attacked, other = (gateway.session(world="empty")["handle"] for _ in range(2))
    before, size = _memory(gateway), DEFAULT_MAX_BODY
    refusals: list[tuple[int, bool]] = []
    with ExitStack() as stack:
        senders = [stack.enter_context(closing(Connection(gateway.url))) for _ in range(60)]
        for sender in senders:
            head = sender.request("POST", f"/s/{attacked}/mcp", headers={"Content-Type": "application/json"})
            sender.send(head.replace(b"Content-Length: 0", b"Content-Length: %d" % size) + b" " * (size - 1))
        began = time.monotonic()
        assert done(ask(gateway.url, other))
        assert time.monotonic() - began < 5
        assert _memory(gateway) - before < 100_000_000
        share = DEFAULT_MAX_IN_FLIGHT // 4 // size  # the bodies that arrive first are within the share
        for sender in _answered(senders, len(senders) - share):
            response = sender.response()
            refusals.append((response.status, "--max-in-flight" in response.json()["error"]["message"]))
            assert int(response.headers["retry-after"]) > 0
    assert refusals == [(503, True)] * 56
    assert done(ask(gateway.url, attacked))
