from __future__ import annotations

import json
import re
import sqlite3
import time
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from tests.conftest import Gateway

USER = {"open_id": "ou_" + "a" * 32, "name": "Mei", "email": "mei@acme.example"}
FIND = ("lark", "contact_v3_user_batchGetId", {"data": {"emails": ["mei@acme.example"]}})


def _put(gateway: Gateway, session: dict[str, Any], state: object, **params: str) -> httpx2.Response:
    return gateway.api("PUT", f"/sessions/{session['id']}/state", json=state, params=params)


def _call(gateway: Gateway, session: dict[str, Any], app: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    body = {"app": app, "tool": tool, "arguments": arguments}
    response = gateway.api("POST", f"/sessions/{session['id']}/calls", json=body)
    assert response.status_code == 200, response.text
    made: dict[str, Any] = response.json()
    return made


def test_a_call_through_the_control_plane_reports_the_result_in_its_journal(gateway: Gateway) -> None:
    """With a lost acknowledgement the call was carried out, although the client gets a timeout."""
    lost = {"rules": [{"fault": "lost_ack", "shows": "timeout", "when": {"call": 1}}]}
    session = gateway.session(world="empty", apps=["lark"], faults=lost, durability="memory")
    made = _call(gateway, session, "lark", "task_v2_task_create", {"data": {"summary": "Lock the stage door"}})
    (line,) = gateway.journal(session["id"])
    assert (made["ok"], made["is_error"]) == (line["ok"], line["is_error"]) == (True, True)
    assert "timeout" in str(made["reply"])
    gateway.api("DELETE", f"/sessions/{session['id']}")


def test_a_timeline_names_the_origin_of_each_step(gateway: Gateway) -> None:
    drift = {"rules": [{"fault": "drift", "when": {"call": 2}}]}
    session = gateway.session(world="studio", apps=["slack"], faults=drift, durability="memory")
    for _ in range(2):
        _call(gateway, session, "slack", "slack_get_users", {})
    gateway.api("POST", f"/sessions/{session['id']}/clock", json={"mode": "frozen"})
    assert [line["kind"] for line in gateway.journal(session["id"])] == ["call", "drift", "call", "clock"]
    page = httpx2.get(f"{gateway.url}/sessions/{session['id']}").text
    origins = re.findall(r'<span class="app[^"]*">(\w+)</span> <b>', page)
    assert sorted(origins) == ["control", "fault", "slack", "slack"]
    gateway.api("DELETE", f"/sessions/{session['id']}")


@pytest.mark.parametrize("durability", ["memory", "durable"])
def test_the_life_cycle_of_a_session(gateway: Gateway, durability: str) -> None:
    session = gateway.session(world="empty", durability=durability, seed=5, apps=["lark"])
    path = f"/sessions/{session['id']}"
    assert session["step"] == 0
    assert list(session["apps"]) == ["lark"]
    assert len(session["handle"]) >= 22
    fresh = _digest(gateway, session)

    assert _put(gateway, session, {"lark": {"user": [USER]}}).json() == {"step": 1}
    reply = _call(gateway, session, *FIND)
    assert reply["ok"]
    assert USER["open_id"] in reply["reply"]["content"][0]["text"]

    snapshot = gateway.api("POST", f"{path}/snapshots").json()
    assert snapshot["step"] == 2
    _put(gateway, session, {"lark": {"user": []}})
    assert gateway.api("GET", f"{path}/state").json() == {}
    restored = gateway.api("POST", f"{path}/restore", json={"snapshot": snapshot["id"]}).json()
    assert restored["step"] == 2
    assert gateway.api("GET", f"{path}/state", params={"app": "lark"}).json() == {"lark": {"user": [USER]}}

    fork = gateway.api("POST", f"{path}/fork", json={"at": 0}).json()
    assert _digest(gateway, fork) == fresh
    assert fork["handle"] != session["handle"]
    assert gateway.api("GET", f"/sessions/{fork['id']}/state").json() == {}

    assert gateway.api("POST", f"{path}/restore", json={"step": 1}).json()["step"] == 1
    assert gateway.api("POST", f"{path}/reset").json()["step"] == 0
    assert _digest(gateway, session) == fresh
    assert gateway.journal(session["id"]) == []

    for made in (session, fork):
        assert gateway.api("DELETE", f"/sessions/{made['id']}").status_code == 204
        assert gateway.api("GET", f"/sessions/{made['id']}").status_code == 404


def test_the_journal_reports_each_step_with_its_rows(gateway: Gateway) -> None:
    session = gateway.session(world="empty", clock={"at": "2026-01-02T03:04:05Z", "tick_ms": 2000})
    _put(gateway, session, {"lark": {"user": [USER]}})
    _call(gateway, session, *FIND)
    _call(gateway, session, "lark", "contact_v3_user_batchGetId", {"data": 3})
    state, call, refused = gateway.journal(session["id"])
    assert (state["app"], state["tool"], state["at"]) == (None, "state", "2026-01-02T03:04:05.000Z")
    assert (state["kind"], call["kind"], refused["kind"]) == ("state", "call", "call")
    assert [(c["op"], c["entity"], c["id"], c["after"]) for c in state["changes"]] == [
        ("insert", "user", USER["open_id"], USER)
    ]
    assert (call["step"], call["ok"], call["is_error"], call["changes"]) == (2, True, None, [])
    assert call["arguments"] == FIND[2]
    assert (refused["ok"], refused["is_error"], refused["error_kind"]) == (False, True, "invalid_arguments")
    assert refused["at"] == "2026-01-02T03:04:07.000Z"
    assert set(state) == {
        "step", "kind", "at", "user", "client", "app", "tool", "answered_by", "arguments", "ok", "is_error",
        "error_kind", "reply", "fault", "lost", "changes", "duration_us",
    }  # fmt: skip
    assert [s["step"] for s in _lines(gateway, session, after=1, limit=1)] == [2]


def test_the_diff_is_net_and_can_be_reversed(gateway: Gateway) -> None:
    session = gateway.session(world="empty")
    _put(gateway, session, {"lark": {"user": [USER]}})
    _put(gateway, session, {"lark": {"user": [{**USER, "name": "May"}]}}, mode="add")
    _put(gateway, session, {"lark": {"user": []}})

    def diff(**params: int) -> list[tuple[str, Any, Any]]:
        changes = gateway.api("GET", f"/sessions/{session['id']}/diff", params=params).json()
        return [(c["op"], (c["before"] or {}).get("name"), (c["after"] or {}).get("name")) for c in changes]

    assert diff() == []
    assert diff(**{"from": 0, "to": 2}) == [("insert", None, "May")]
    assert diff(**{"from": 1, "to": 2}) == [("update", "Mei", "May")]
    assert diff(**{"from": 2}) == [("delete", "May", None)]
    assert diff(**{"from": 2, "to": 1}) == [("update", "May", "Mei")]


def test_a_diff_across_app_versions_is_flagged_also_in_forks_and_snapshots(gateway: Gateway) -> None:
    session = gateway.session(durability="durable", apps=["lark", "slack"])
    snapshot = gateway.api("POST", f"/sessions/{session['id']}/snapshots").json()
    for made in (session, snapshot):
        assert "Soundstage-Versions" not in gateway.api("GET", f"/sessions/{session['id']}/diff").headers, made
    with sqlite3.connect(gateway.data / "sessions" / f"{session['id']}.db") as context:
        context.execute("UPDATE _app SET version = 'of before' WHERE name = 'slack'")
    older = gateway.api("POST", f"/sessions/{session['id']}/snapshots").json()
    fork = gateway.api("POST", f"/sessions/{session['id']}/fork").json()
    for made in (session, fork):
        across = gateway.api("GET", f"/sessions/{made['id']}/diff").headers["Soundstage-Versions"]
        assert across.startswith("slack was of before when the session was made and is ")
        assert "lark" not in across
        assert "Across versions: slack was of before" in httpx2.get(f"{gateway.url}/sessions/{made['id']}/diff").text
    gateway.api("POST", f"/sessions/{session['id']}/restore", json={"snapshot": snapshot["id"]})
    assert "Soundstage-Versions" not in gateway.api("GET", f"/sessions/{session['id']}/diff").headers
    gateway.api("POST", f"/sessions/{session['id']}/restore", json={"snapshot": older["id"]})
    assert "slack" in gateway.api("GET", f"/sessions/{session['id']}/diff").headers["Soundstage-Versions"]


def test_the_clock_can_be_set_and_frozen_over_http(gateway: Gateway) -> None:
    session = gateway.session(world="empty")
    path = f"/sessions/{session['id']}/clock"
    shown = gateway.api("POST", path, json={"mode": "frozen", "at": "2030-05-06T07:08:09+02:00"}).json()
    assert (shown["mode"], shown["now"]) == ("frozen", "2030-05-06T05:08:09.000Z")
    for _ in range(2):
        _call(gateway, session, *FIND)
    assert {line["at"] for line in gateway.journal(session["id"])[1:]} == {"2030-05-06T05:08:09.000Z"}
    assert gateway.api("POST", path, json={"mode": "backwards"}).status_code == 422
    assert "write it like" in gateway.api("POST", path, json={"at": "noon"}).json()["error"]


def test_a_tree_can_be_exported_and_imported(gateway: Gateway) -> None:
    one, two = (gateway.session(world="empty") for _ in range(2))
    state = {"user": [USER], "calendar": [{"calendar_id": "primary.1", "user_id": USER["open_id"], "summary": "Mei"}]}
    _put(gateway, one, {"lark": state})
    tree = gateway.api("GET", f"/sessions/{one['id']}/tree", params={"app": "lark"}).json()
    assert tree["user"][USER["open_id"]]["calendar"]["primary.1"]["summary"] == "Mei"
    subtree = gateway.api(
        "GET",
        f"/sessions/{one['id']}/tree",
        params={"app": "lark", "path": f"user[{USER['open_id']}].calendar[primary.1]"},
    )
    assert subtree.json()["summary"] == "Mei"
    assert gateway.api("PUT", f"/sessions/{two['id']}/tree", params={"app": "lark"}, json=tree).status_code == 200
    assert _digest(gateway, one) == _digest(gateway, two)


@pytest.mark.parametrize("durability", ["memory", "durable"])
def test_an_expired_session_is_reported_as_expired_on_both_planes(gateway: Gateway, durability: str) -> None:
    session = gateway.session(ttl=0.2, durability=durability)
    time.sleep(0.3)
    for response in (httpx2.post(session["mcp_url"], json={}), gateway.api("GET", f"/sessions/{session['id']}")):
        assert response.status_code == 410
        assert "expired" in response.text
    assert gateway.api("DELETE", f"/sessions/{session['id']}").status_code == 204


async def test_the_mcp_address_without_a_handle_is_the_default_session(gateway: Gateway) -> None:
    async with Client(f"{gateway.url}/mcp") as client:
        await client.call_tool("lark_contact_v3_user_batchGetId", FIND[2])
    assert gateway.journal("default")[-1]["tool"] == "contact_v3_user_batchGetId"


def test_a_bearer_handle_names_the_session(gateway: Gateway) -> None:
    handle = gateway.session()["handle"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {handle}"}
    assert httpx2.post(f"{gateway.url}/mcp", json=request, headers=headers).status_code == 200
    for wrong in ("Bearer nobody", "Basic abc"):
        refused = httpx2.post(f"{gateway.url}/mcp", json=request, headers={**headers, "Authorization": wrong})
        assert refused.status_code in (401, 404)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "message"),
    [
        ("POST", "/sessions", {"world": "nowhere"}, 400, "known: "),
        ("POST", "/sessions", {"apps": ["myspace"]}, 404, "known: "),
        ("POST", "/sessions", {"apps": []}, 422, "apps"),
        ("POST", "/sessions", {"name": "Not A Name"}, 400, "session name"),
        ("POST", "/sessions", {"sede": 1}, 422, "sede"),
        ("POST", "/sessions", {"seed": 2**70}, 422, "seed"),
        ("POST", "/sessions", {"ttl": -1}, 422, "ttl"),
        ("POST", "/sessions/{id}/fork", {"at": 7}, 404, "steps 0 (its start) to 0"),
        ("POST", "/sessions/{id}/restore", {"step": 7}, 404, "steps 0 (its start) to 0"),
        ("POST", "/sessions/{id}/restore", {"snapshot": "snp_none"}, 400, "no snapshot"),
        ("POST", "/sessions/{id}/restore", {}, 400, "one of the two"),
        ("PUT", "/sessions/{id}/state", {"lark": {"usr": []}}, 400, "lark.usr: unknown entity"),
        (
            "PUT",
            "/sessions/{id}/state",
            {"lark": {"user": [{"open_id": 1}]}},
            400,
            "lark.user[0].open_id: expected text",
        ),
        ("PUT", "/sessions/{id}/tree?app=lark", {"usr": {}}, 400, "usr: unknown entity"),
        ("PUT", "/sessions/{id}/tree?app=nope", {}, 404, "known: "),
        ("GET", "/sessions/{id}/state?app=lark&entity=usr", None, 400, "unknown entity"),
        ("GET", "/sessions/{id}/tree?app=lark&path=user[x]", None, 400, "does not exist"),
        ("GET", "/sessions/{id}/diff?from=3", None, 404, "no step 3"),
        ("POST", "/sessions/{id}/calls", {"app": "nope", "tool": "x"}, 400, "it has: "),
        ("GET", "/sessions/nobody", None, 404, "'nobody'"),
        ("DELETE", "/sessions/nobody", None, 404, "'nobody'"),
        ("GET", "/apps/nope/tools", None, 404, "known: "),
        ("GET", "/nothing/here", None, 404, "Not Found"),
    ],
)
def test_bad_requests_are_refused_with_the_reason_and_change_nothing(
    gateway: Gateway, method: str, path: str, body: object, status: int, message: str
) -> None:
    session = gateway.session(world="empty")
    before = _digest(gateway, session)
    response = gateway.api(method, path.format(id=session["id"]), json=body)
    assert (response.status_code, message in response.json()["error"]) == (status, True), response.text
    assert _digest(gateway, session) == before
    assert gateway.journal(session["id"]) == []


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[1,"])
def test_malformed_json_is_refused(gateway: Gateway, body: bytes) -> None:
    session = gateway.session(world="empty")
    headers = {"Content-Type": "application/json"}
    for path in ("/sessions", f"/sessions/{session['id']}/restore"):
        assert gateway.api("POST", path, content=body, headers=headers).status_code == 422
    put = gateway.api("PUT", f"/sessions/{session['id']}/state", content=body, headers=headers)
    assert put.status_code == 400
    assert "not valid JSON" in put.json()["error"]


def test_two_sessions_cannot_have_one_name(gateway: Gateway) -> None:
    for first, second in (("memory", "durable"), ("durable", "memory"), ("memory", "memory"), ("durable", "durable")):
        name = f"twin-{first}-{second}"
        gateway.session(name=name, durability=first)
        taken = gateway.api("POST", "/sessions", json={"name": name, "durability": second})
        assert taken.status_code == 409
        assert name in taken.json()["error"]


def test_lists_are_paged_and_counted(gateway: Gateway) -> None:
    made = [gateway.session(world="empty")["id"] for _ in range(3)]
    page = gateway.api("GET", "/sessions", params={"limit": 2}).json()
    assert len(page["sessions"]) == 2
    assert page["total"] >= 3
    everything = gateway.api("GET", "/sessions", params={"limit": 1000}).json()["sessions"]
    assert set(made) <= {s["id"] for s in everything}


def test_the_catalogue_worlds_health_metrics_and_openapi_are_served(gateway: Gateway) -> None:
    assert "lark" in {a["name"] for a in gateway.api("GET", "/apps").json()}
    tool = gateway.api("GET", "/apps/lark/tools").json()[0]
    assert tool["prefixed_name"] == f"lark_{tool['name']}"
    assert {"empty", "studio"} <= {w["name"] for w in gateway.api("GET", "/worlds").json()}
    assert httpx2.get(f"{gateway.url}/healthz").json() == {"status": "ok"}
    session = gateway.session()
    _call(gateway, session, *FIND)
    metrics = httpx2.get(f"{gateway.url}/metrics").text
    assert 'soundstage_calls_total{app="lark",outcome="ok",tool="contact_v3_user_batchGetId"}' in metrics
    assert session["handle"] not in metrics
    document = httpx2.get(f"{gateway.url}/openapi.json").json()
    assert "/api/sessions/{session_id}/fork" in document["paths"]


def _digest(gateway: Gateway, session: dict[str, Any]) -> str:
    return str(gateway.api("GET", f"/sessions/{session['id']}").json()["digest"])


def _lines(gateway: Gateway, session: dict[str, Any], **params: int) -> list[dict[str, Any]]:
    text = gateway.api("GET", f"/sessions/{session['id']}/journal", params=params).text
    return [json.loads(line) for line in text.splitlines()]
