"""Access rules: the sentences of docs/operations.md that the tests of no other folder verify."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import make_url

from soundstage.gateway.registry.database import Database, RegistryUnavailable
from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.agent_requests import ask
from tests.gateway.cluster.conftest import StartTwo, Two

TOKEN = "a-token-of-this-test"
SIGNED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway that listens on every address of the machine."""
    folder = tmp_path_factory.mktemp("public")
    started = start_gateway(folder / "data", "--host", "0.0.0.0", "--token", TOKEN, log=folder / "log")
    yield started
    stop_gateway(started)


def _made(gateway: Gateway, **body: object) -> dict[str, str]:
    made = gateway.api("POST", "/sessions", json={"world": "empty", **body}, headers=SIGNED)
    assert made.status_code == 201, made.text
    session: dict[str, str] = made.json()
    return session


def test_a_wrong_handle_opens_nothing(gateway: Gateway) -> None:
    before = gateway.api("GET", "/sessions").json()["total"]
    handle = gateway.session(world="empty")["handle"]
    assert len(handle) == 24
    for wrong in ("x", handle[:-1], f"{handle}x", handle.swapcase(), "ses_0", "%2e%2e"):
        assert ask(gateway.url, wrong).status_code == 404, wrong
    assert gateway.api("GET", "/sessions").json()["total"] == before + 1


def test_a_name_is_a_handle_only_on_loopback(gateway: Gateway, public: Gateway) -> None:
    assert gateway.session(name="guessable", world="empty")["handle"] == "guessable"
    made = _made(public, name="guessable")
    assert made["handle"] != "guessable"
    assert ask(public.url, "guessable").status_code == 404
    assert ask(public.url, made["handle"]).status_code == 200


def test_off_loopback_a_session_needs_a_handle(public: Gateway) -> None:
    for headers in ({}, SIGNED, {"Authorization": "Bearer default"}, {"Authorization": "Basic eDp5"}):
        answer = httpx2.post(f"{public.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)
        assert answer.status_code in (401, 404), headers
    names = {s["name"] for s in public.api("GET", "/sessions", headers=SIGNED).json()["sessions"]}
    assert "default" not in names


def test_everything_but_the_public_routes_requires_the_token(public: Gateway) -> None:
    paths = httpx2.get(f"{public.url}/openapi.json").json()["paths"]
    assert len(paths) > 20
    for path, methods in paths.items():
        for method in methods:
            answer = httpx2.request(method, public.url + path.replace("{session_id}", "default"))
            assert answer.status_code == 401, (method, path)
    for page in ("/", "/sessions", "/sessions/events", "/apps", "/search"):
        answer = httpx2.get(public.url + page, follow_redirects=True)
        assert answer.status_code in (401, 404) or answer.url.path == "/login", page
    assert httpx2.get(f"{public.url}/metrics").status_code == 401
    assert httpx2.get(f"{public.url}/metrics", headers=SIGNED).status_code == 200
    assert httpx2.get(f"{public.url}/healthz").status_code == 200


def test_without_a_token_a_proxy_does_not_open_the_gateway_to_others(gateway: Gateway) -> None:
    assert gateway.api("GET", "/sessions").status_code == 200
    for claim in ("203.0.113.7", "10.0.0.8", "203.0.113.7, 10.0.0.8"):
        forwarded = {"X-Forwarded-For": claim}
        assert gateway.api("GET", "/sessions", headers=forwarded).status_code == 401
        assert httpx2.get(f"{gateway.url}/sessions", headers=forwarded).status_code == 401


MARKS = {
    "X-Forwarded-For": "127.0.0.1",
    "X-Forwarded-Proto": "http",
    "Forwarded": "for=127.0.0.1",
    "X-Real-IP": "127.0.0.1",
    "Via": "1.1 proxy",
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_request_through_a_proxy_needs_a_credential(gateway: Gateway, mark: str) -> None:
    gateway.session(name=f"named-{mark.lower()}", world="empty")
    random = gateway.session(world="empty")["handle"]
    forwarded = {mark: MARKS[mark]}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert httpx2.post(f"{gateway.url}/mcp", json=ping, headers=forwarded).status_code == 401
    assert ask(gateway.url, f"named-{mark.lower()}", headers=forwarded).status_code == 404
    assert ask(gateway.url, random, headers=forwarded).status_code == 200
    for path in ("/api/sessions", "/metrics", "/sessions"):
        assert httpx2.get(gateway.url + path, headers=forwarded).status_code == 401, path


def test_with_a_token_every_session_has_a_separate_handle(tmp_path: Path) -> None:
    started = start_gateway(tmp_path / "data", "--token", TOKEN, log=tmp_path / "log")
    try:
        default = started.api("GET", "/sessions/default", headers=SIGNED).json()
        made = {"default": default, "trial": _made(started, name="trial")}
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for headers in ({}, SIGNED):
            assert httpx2.post(f"{started.url}/mcp", json=ping, headers=headers).status_code in (401, 404)
        for name, session in made.items():
            assert ask(started.url, name).status_code == 404
            assert session["handle"] != name
            assert session["mcp_url"].endswith(f"/s/{session['handle']}/mcp")
            assert ask(started.url, session["handle"]).status_code == 200
    finally:
        stop_gateway(started)


@pytest.mark.long
def test_a_name_from_before_the_token_opens_nothing(tmp_path: Path) -> None:
    started = start_gateway(tmp_path / "data", log=tmp_path / "log")
    assert started.session(name="trial", world="empty", durability="durable")["handle"] == "trial"
    assert ask(started.url, "trial").status_code == 200
    stop_gateway(started)
    started = start_gateway(tmp_path / "data", "--token", TOKEN, log=tmp_path / "log")
    try:
        assert ask(started.url, "trial").status_code == 404
        shown = started.api("GET", "/sessions/trial", headers=SIGNED).json()
        assert ask(started.url, shown["handle"]).status_code == 200
    finally:
        stop_gateway(started)


def test_a_page_of_another_origin_changes_nothing_and_opens_no_session_by_name(gateway: Gateway) -> None:
    session = gateway.session(name="watched", world="empty")
    elsewhere = {"Origin": "http://127.0.0.1:3000"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    reset = f"{gateway.url}/api/sessions/{session['id']}/reset"
    assert httpx2.post(reset, headers=elsewhere).status_code == 401
    assert httpx2.post(reset, headers={**elsewhere, "Content-Type": "text/plain"}, content="x").status_code == 401
    assert httpx2.post(f"{gateway.url}/mcp", json=ping, headers=elsewhere).status_code == 401
    assert ask(gateway.url, "watched", headers=elsewhere).status_code == 404
    assert httpx2.post(reset, headers={"Origin": gateway.url}).status_code == 200
    own = gateway.session(world="empty")["handle"]
    assert ask(gateway.url, own, headers=elsewhere).status_code == 200


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])
def test_the_control_api_refuses_bodies_that_a_form_can_send(gateway: Gateway, kind: str) -> None:
    session = gateway.session(world="empty")
    answer = gateway.api("POST", f"/sessions/{session['id']}/snapshots", headers={"Content-Type": kind}, content=b"a=1")
    assert answer.status_code == 415
    assert "application/json" in answer.json()["error"]


@pytest.mark.long
def test_a_forwarded_request_must_present_its_token_again(start_two: StartTwo) -> None:
    two: Two = start_two("--token", TOKEN)
    made = two.one.api("POST", "/sessions", json={"world": "empty"}, headers=SIGNED).json()
    path = f"/sessions/{made['id']}"
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {made['handle']}"}):
        assert two.other.api("GET", path, headers=headers).status_code == 401
        assert two.other.api("DELETE", path, headers=headers).status_code == 401
    assert two.other.api("GET", path, headers=SIGNED).status_code == 200


@pytest.mark.long
def test_only_the_owner_can_read_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    stop_gateway(start_gateway(folder, log=tmp_path / "log", bare=True))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "registry.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_the_registrys_password_appears_in_no_log_answer_or_error(
    start_two: StartTwo, postgres: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    password = str(make_url(postgres).password)
    two = start_two("--registry", postgres)
    made = two.one.session(world="empty")
    answers = [two.other.api("GET", f"/sessions/{made['id']}").text, httpx2.get(f"{two.other.url}/metrics").text]
    logs = "".join(p.read_text() for p in tmp_path.glob("log-*"))
    assert password not in "".join(answers) + logs
    caplog.set_level(logging.DEBUG)
    unanswered = make_url(postgres).set(port=1).render_as_string(hide_password=False)
    for address in (unanswered, f"mysql://u:{password}@h/d", password):
        with pytest.raises(RegistryUnavailable) as refused:
            asyncio.run(Database(tmp_path, address).connect())
        assert password not in str(refused.value)
    assert password not in caplog.text
