"""Who can reach what: the sentences of docs/operations.md that no other folder's tests show."""

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
from tests.gateway.asking import ask
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
    found: dict[str, str] = made.json()
    return found


def test_a_wrong_handle_opens_nothing(gateway: Gateway) -> None:
    before = gateway.api("GET", "/sessions").json()["total"]
    handle = gateway.session(world="empty")["handle"]
    assert len(handle) == 24
    for wrong in ("x", handle[:-1], f"{handle}x", handle.swapcase(), "ses_0", "%2e%2e"):
        assert ask(gateway.url, wrong).status_code == 404, wrong
    assert gateway.api("GET", "/sessions").json()["total"] == before + 1


def test_a_name_is_a_handle_on_loopback_alone(gateway: Gateway, public: Gateway) -> None:
    assert gateway.session(name="guessable", world="empty")["handle"] == "guessable"
    made = _made(public, name="guessable")
    assert made["handle"] != "guessable"
    assert ask(public.url, "guessable").status_code == 404
    assert ask(public.url, made["handle"]).status_code == 200


def test_off_loopback_nobody_gets_a_session_without_a_handle(public: Gateway) -> None:
    for headers in ({}, SIGNED, {"Authorization": "Bearer default"}, {"Authorization": "Basic eDp5"}):
        answer = httpx2.post(f"{public.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)
        assert answer.status_code in (401, 404), headers
    names = {s["name"] for s in public.api("GET", "/sessions", headers=SIGNED).json()["sessions"]}
    assert "default" not in names


def test_the_token_is_asked_for_everywhere_but_at_what_is_for_everybody(public: Gateway) -> None:
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


def test_without_a_token_a_proxy_opens_nothing_to_others(gateway: Gateway) -> None:
    assert gateway.api("GET", "/sessions").status_code == 200
    for claim in ("203.0.113.7", "10.0.0.8", "203.0.113.7, 10.0.0.8"):
        forwarded = {"X-Forwarded-For": claim}
        assert gateway.api("GET", "/sessions", headers=forwarded).status_code == 401
        assert httpx2.get(f"{gateway.url}/sessions", headers=forwarded).status_code == 401


@pytest.mark.long
def test_what_is_passed_on_is_asked_for_its_token_again(start_two: StartTwo) -> None:
    two: Two = start_two("--token", TOKEN)
    made = two.one.api("POST", "/sessions", json={"world": "empty"}, headers=SIGNED).json()
    path = f"/sessions/{made['id']}"
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {made['handle']}"}):
        assert two.other.api("GET", path, headers=headers).status_code == 401
        assert two.other.api("DELETE", path, headers=headers).status_code == 401
    assert two.other.api("GET", path, headers=SIGNED).status_code == 200


def test_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    stop_gateway(start_gateway(folder, log=tmp_path / "log"))
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.long
def test_the_registrys_password_is_told_to_nobody(
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
