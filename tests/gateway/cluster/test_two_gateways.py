"""Any gateway answers for any session, and one gateway at a time owns it."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.agent_requests import ask, metric, request_for
from tests.gateway.cluster.conftest import StartTwo, Two
from tests.gateway.serving.wire import Connection


def _steps(gateway: Gateway, session_id: str) -> list[int]:
    return [line["step"] for line in gateway.journal(session_id)]


@pytest.fixture(params=["file", pytest.param("postgresql", marks=pytest.mark.long)])
def both(request: pytest.FixtureRequest) -> Two:
    """Two gateways on one volume, with either registry, for tests that leave both running."""
    gateways: Two = request.getfixturevalue("two" if request.param == "file" else "two_on_postgres")
    return gateways


@pytest.fixture(params=["file", "postgresql"])
def mortal(request: pytest.FixtureRequest, start_two: StartTwo) -> Two:
    """Two gateways with either registry that a test may stop."""
    return start_two() if request.param == "file" else start_two("--registry", request.getfixturevalue("postgres"))


def test_a_session_created_at_one_gateway_is_served_by_the_other(both: Two) -> None:
    made = both.one.session(durability="durable", world="empty")
    for turn, gateway in enumerate([both.other, both.one, both.other, both.one]):
        answer = ask(gateway.url, made["handle"], f"turn {turn}")
        assert answer.status_code == 200, answer.text
        assert "result" in answer.json()
    assert _steps(both.one, made["id"]) == _steps(both.other, made["id"]) == [1, 2, 3, 4]


def test_the_control_plane_works_through_any_gateway(both: Two) -> None:
    made = both.one.session(durability="durable", world="empty", name="shared")
    ask(both.one.url, made["handle"])
    path = f"/sessions/{made['id']}"
    seen = both.other.api("GET", path).json()
    assert (seen["step"], seen["mcp_url"]) == (1, f"{both.other.url}/s/{made['handle']}/mcp")
    assert both.other.api("POST", f"{path}/snapshots").status_code == 201
    fork = both.other.api("POST", f"{path}/fork", json={"at": 0}).json()
    assert both.other.api("GET", f"/sessions/{fork['id']}").json()["step"] == 0
    assert both.other.api("POST", f"{path}/reset").json()["step"] == 0
    assert both.other.api("PUT", f"{path}/state", json={"lark": {"task": []}}).status_code == 200
    assert {s["id"] for s in both.other.api("GET", "/sessions").json()["sessions"]} >= {made["id"], fork["id"]}
    assert both.other.api("DELETE", path).status_code == 204
    assert both.one.api("GET", path).status_code == 404
    assert ask(both.one.url, made["handle"]).status_code == 404
    assert metric(both.other.url, "soundstage_forwarded_total", plane="control", outcome="answered") > 0


def test_a_connection_broken_by_a_fault_ends_without_a_byte_through_the_other_gateway(both: Two) -> None:
    rules = [{"fault": "lost_ack", "when": {"call": [1, 3]}}]
    made = both.one.session(durability="memory", world="empty", faults={"rules": rules})
    for gateway in (both.other, both.one):
        connection = Connection(gateway.url)
        connection.send(connection.request("POST", *request_for(made["handle"], "lost")))
        assert connection.until_closed() == b""
        assert ask(gateway.url, made["handle"], "told").status_code == 200
    assert [line["reply"] is None for line in both.one.journal(made["id"])] == [True, False, True, False]


@pytest.mark.long
def test_a_session_moves_at_once_to_the_gateway_that_its_agent_calls(start_two: StartTwo) -> None:
    two = start_two()
    made = two.one.session(durability="durable", world="empty")
    for _ in range(3):
        ask(two.other.url, made["handle"])
    assert metric(two.other.url, "soundstage_forwarded_total", plane="agent") == 0
    two.one.process.kill()  # no context of the session is open in that process any more
    assert ask(two.other.url, made["handle"]).status_code == 200
    assert _steps(two.other, made["id"]) == [1, 2, 3, 4]


def test_calls_arriving_at_both_gateways_do_not_move_a_session_back_and_forth(two: Two) -> None:
    def passed_on() -> float:
        return metric(two.other.url, "soundstage_forwarded_total", plane="agent", outcome="answered")

    made = two.one.session(durability="durable", world="empty")
    before = passed_on()
    for _ in range(10):
        assert ask(two.one.url, made["handle"]).status_code == 200
        assert ask(two.other.url, made["handle"]).status_code == 200
    assert passed_on() == before + 10
    for _ in range(9):
        ask(two.other.url, made["handle"])
    before = passed_on()
    ask(two.other.url, made["handle"])
    assert passed_on() == before
    assert len(_steps(two.one, made["id"])) == 30


def test_many_clients_at_both_gateways_share_one_session(two: Two) -> None:
    made = two.one.session(durability="durable", world="empty")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: ask((two.one, two.other)[n % 2].url, made["handle"], str(n)), range(80)))
    assert [a.status_code for a in answers] == [200] * 80
    assert _steps(two.one, made["id"]) == list(range(1, 81))
    tasks = two.other.api("GET", f"/sessions/{made['id']}/state").json()["lark"]["task"]
    assert sorted(int(t["summary"]) for t in tasks) == list(range(80))


@pytest.mark.long
def test_a_session_in_memory_stays_at_the_gateway_that_created_it(start_two: StartTwo) -> None:
    two = start_two()
    made = two.one.session(world="empty")
    for gateway in (two.other, two.one, two.other):
        assert ask(gateway.url, made["handle"]).status_code == 200
    assert two.other.api("GET", f"/sessions/{made['id']}").json()["step"] == 3
    listed = two.other.api("GET", "/sessions").json()["sessions"]
    assert [s["durability"] for s in listed if s["id"] == made["id"]] == ["memory"]
    two.one.process.kill()
    two.one.process.wait()
    gone = ask(two.other.url, made["handle"])
    assert gone.status_code == 404
    assert "memory of a process that has ended" in gone.text


@pytest.mark.long
def test_the_sessions_of_a_killed_gateway_continue_at_once(mortal: Two) -> None:
    made = mortal.one.session(durability="durable", world="empty")
    ask(mortal.one.url, made["handle"])
    mortal.one.process.kill()
    mortal.one.process.wait()
    began = time.monotonic()
    assert ask(mortal.other.url, made["handle"]).status_code == 200
    assert time.monotonic() - began < 5  # less than the 6 s of its lease
    assert _steps(mortal.other, made["id"]) == [1, 2]
    assert metric(mortal.other.url, "soundstage_leases_taken_total", **{"from": "refused"}) == 1


@pytest.mark.long
def test_a_gateway_restarted_on_its_port_owns_its_sessions_at_once(start_two: StartTwo) -> None:
    two = start_two()
    made = two.one.session(durability="durable", world="empty")
    ask(two.one.url, made["handle"])
    two.one.process.kill()
    two.one.process.wait()
    again = start_gateway(two.data, port=int(two.one.url.rpartition(":")[2]))
    try:
        assert ask(again.url, made["handle"]).status_code == 200
        assert _steps(two.other, made["id"]) == [1, 2]
    finally:
        stop_gateway(again)


@pytest.mark.long
def test_a_stopped_gateway_returns_its_sessions_with_a_checkpointed_wal(start_two: StartTwo) -> None:
    two = start_two()
    made = two.one.session(durability="durable", world="empty")
    ask(two.one.url, made["handle"])
    wal = two.data / "sessions" / f"{made['id']}.db-wal"
    assert wal.stat().st_size > 0
    stop_gateway(two.one)
    assert two.one.process.returncode == 0
    assert not wal.exists() or wal.stat().st_size == 0
    assert ask(two.other.url, made["handle"]).status_code == 200
    assert metric(two.other.url, "soundstage_leases_taken_total", **{"from": "free"}) > 0


@pytest.mark.long
def test_a_paused_gateway_that_lost_its_session_writes_nothing_when_it_resumes(start_two: StartTwo) -> None:
    two = start_two()
    made = two.one.session(durability="durable", world="empty")
    ask(two.one.url, made["handle"], "before")
    two.one.process.send_signal(signal.SIGSTOP)
    try:
        # Sent to the paused gateway, which handles it only after it resumes.
        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(ask, two.one.url, made["handle"], "late")
            # Meanwhile the other gateway gets a call. The paused gateway may have received it, so it is not sent twice.
            held_up = ask(two.other.url, made["handle"], "held up")
            assert held_up.status_code == 502
            assert "may have been carried out" in held_up.text
            assert ask(two.other.url, made["handle"], "taken over").status_code == 200
            os.kill(two.one.process.pid, signal.SIGCONT)
            assert late.result().status_code == 200
    finally:
        os.kill(two.one.process.pid, signal.SIGCONT)
    assert metric(two.one.url, "soundstage_fenced_total") >= 1
    tasks = two.other.api("GET", f"/sessions/{made['id']}/state").json()["lark"]["task"]
    assert [t["summary"] for t in tasks] == ["before", "taken over", "late"]
    assert _steps(two.one, made["id"]) == [1, 2, 3]


@pytest.mark.long
def test_gateways_with_separate_disks_forward_requests_to_the_owner_of_the_context(
    start_two: StartTwo, postgres: str
) -> None:
    two = start_two("--registry", postgres, volumes=2)
    made = two.one.session(durability="durable", world="empty")
    for _ in range(3):
        assert ask(two.other.url, made["handle"]).status_code == 200
    assert two.other.api("GET", f"/sessions/{made['id']}").json()["step"] == 3
    stop_gateway(two.one)
    away = ask(two.other.url, made["handle"])
    assert away.status_code == 503
    assert "on the disk of a gateway that does not run" in away.text


def test_pages_and_their_events_are_served_by_the_owner(two: Two) -> None:
    made = two.one.session(durability="durable", world="empty", name="watched")
    ask(two.one.url, made["handle"])
    page = httpx2.get(f"{two.other.url}/sessions/{made['id']}", timeout=60)
    assert page.status_code == 200
    assert "task_v2_task_create" in page.text.replace("<wbr>", "")
    assert "watched" in httpx2.get(f"{two.other.url}/sessions", timeout=60).text
    with httpx2.stream("GET", f"{two.other.url}/sessions/{made['id']}/events?after=1", timeout=60) as events:
        ask(two.one.url, made["handle"], "while somebody watches")
        line = next(line for line in events.iter_lines() if line.startswith("data:"))
    assert '"step":2' in line


def test_a_request_that_claims_to_come_from_a_gateway_opens_nothing(two: Two) -> None:
    made = two.one.session(durability="durable", world="empty")
    connection = sqlite3.connect(two.data / "registry.db")
    gateways = dict(connection.execute("SELECT url, id FROM gateway").fetchall())
    connection.close()
    claims = ["", "gw_0 x", f"{gateways[two.one.url]}", f"{gateways[two.one.url]} guessed"]
    for claim in claims:
        answer = ask(two.one.url, made["handle"], headers={"Soundstage-Peer": claim})
        assert answer.status_code == 421, claim
    assert _steps(two.one, made["id"]) == []
    # A client's claims about other gateways are not forwarded and have no effect on the owner.
    assert ask(two.other.url, made["handle"], headers={"Soundstage-Lease": "released"}).status_code == 200


@pytest.mark.long
def test_no_key_of_a_gateway_is_in_a_log_or_an_answer(start_two: StartTwo, tmp_path: object) -> None:
    two = start_two()
    made = two.one.session(durability="durable", world="empty")
    ask(two.one.url, made["handle"])
    two.other.api("GET", f"/sessions/{made['id']}")
    connection = sqlite3.connect(two.data / "registry.db")
    keys = [key for (key,) in connection.execute("SELECT key FROM gateway")]
    connection.close()
    assert len(keys) == 2
    logs = "".join(p.read_text() for p in two.data.parent.glob("log-*"))
    answers = two.other.api("GET", "/sessions").text + httpx2.get(f"{two.other.url}/metrics").text
    assert not any(key in logs + answers for key in keys)
    assert made["handle"] not in logs


def test_the_fault_report_reads_sessions_of_several_gateways(two: Two) -> None:
    ids = [g.session(world="empty", faults="off")["id"] for g in (two.one, two.other)]
    for gateway in (two.one, two.other):
        report = gateway.api("GET", "/faults/report", params={"session": ids})
        assert report.status_code == 200, report.text
    assert report.json()["runs"] == 2


def test_forms_of_a_page_work_through_any_gateway(two: Two) -> None:
    made = two.one.session(durability="durable", world="empty")
    ask(two.one.url, made["handle"])
    with httpx2.Client(timeout=60) as browser:
        listed = browser.get(f"{two.other.url}/sessions").text
        browser.get(f"{two.other.url}/sessions/{made['id']}")  # served by the owner
        form = {"csrf": re.search(r'name="csrf" value="([0-9a-f]+)"', listed)[1]}  # type: ignore[index]
        assert browser.post(f"{two.other.url}/sessions/{made['id']}/reset", data=form).status_code == 303
    assert _steps(two.one, made["id"]) == []


@pytest.mark.long
@pytest.mark.parametrize("through", ["one", "other"])
def test_half_a_body_of_a_disconnected_client_is_not_carried_out(two: Two, through: str) -> None:
    made = two.one.session(durability="durable", world="empty")
    whole = b"off\n# and much more"
    host, _, port = getattr(two, through).url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port))) as client:
        head = f"PUT /api/sessions/{made['id']}/faults HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(whole)}\r\n\r\n"
        client.sendall(head.encode() + whole[:4])
        time.sleep(0.2)
    time.sleep(0.3)
    assert two.one.api("GET", f"/sessions/{made['id']}").json()["step"] == 0
