"""Access to the pages, and which form submissions are accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway

_TOKEN = "correct horse battery staple"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway with a token."""
    started = start_gateway(Path(tmp_path_factory.mktemp("guarded")), "--token", _TOKEN)
    yield started
    stop_gateway(started)


def _form_token(page: str) -> str:
    match = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert match is not None
    return match[1]


def _signed_in(gateway: Gateway) -> httpx2.Client:
    client = httpx2.Client(base_url=gateway.url)
    csrf = _form_token(client.get("/login").text)
    answer = client.post("/login", data={"csrf": csrf, "token": _TOKEN, "next": "/search?q=x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?q=x")
    return client


def _tampered(cookie: str) -> list[str]:
    """Return copies of a cookie with one letter changed, one for each part: content, time and signature.

    The first letter of a part is changed, because the last letter of base64 has bits without meaning.
    """
    parts = cookie.split(".")
    assert len(parts) == 3
    return [
        ".".join([*parts[:at], ("B" if part[0] == "A" else "A") + part[1:], *parts[at + 1 :]])
        for at, part in enumerate(parts)
    ]


def test_without_the_token_every_page_redirects_to_the_login(guarded: Gateway) -> None:
    for path in (
        "/",
        "/worlds/studio",
        "/sessions/default/search?q=x",
        "/sessions/default/data",
        "/sessions",
        "/search?q=x",
        "/sessions/default",
        "/sessions/default/events",
        "/sessions/default/apps/lark",
    ):
        answer = httpx2.get(guarded.url + path)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/login?next=")
    assert httpx2.post(f"{guarded.url}/sessions", data={"name": "x"}).status_code == 403


def test_the_token_opens_pages_and_their_json_for_reading_only(guarded: Gateway) -> None:
    client = _signed_in(guarded)
    assert client.get("/sessions").status_code == 200
    assert client.get("/api/sessions").status_code == 200
    assert client.post("/api/sessions", json={"world": "empty"}).status_code == 401
    assert client.post("/api/sessions/default/query", json={"sql": "SELECT 1"}).status_code == 401
    assert client.get("/api/overview").status_code == 200
    name, _, cookie = client.get("/sessions").request.headers["cookie"].partition("=")
    for wrong in (*_tampered(cookie), "nonsense", _TOKEN):
        assert httpx2.get(f"{guarded.url}/api/sessions", headers={"Cookie": f"{name}={wrong}"}).status_code == 401, (
            wrong
        )
    csrf = _form_token(client.get("/sessions").text)
    assert client.post("/logout", data={"csrf": csrf}).status_code == 303
    assert client.get("/sessions").status_code == 303


def test_a_wrong_token_is_reported(guarded: Gateway) -> None:
    with httpx2.Client(base_url=guarded.url) as client:
        answer = client.post("/login", data={"csrf": _form_token(client.get("/login").text), "token": "guess"})
        assert answer.status_code == 401
        assert "not the control plane's token" in answer.text.replace("&#39;", "'")


@pytest.mark.parametrize("place", ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "\n/x"])
def test_the_login_redirects_to_no_other_site(guarded: Gateway, place: str) -> None:
    with httpx2.Client(base_url=guarded.url) as client:
        csrf = _form_token(client.get("/login").text)
        answer = client.post("/login", data={"csrf": csrf, "token": _TOKEN, "next": place})
        assert answer.headers["location"] == "/sessions"


def test_a_form_needs_the_csrf_token_of_its_page(gateway: Gateway) -> None:
    session = gateway.session(world="empty")["id"]
    with httpx2.Client(base_url=gateway.url) as client, httpx2.Client(base_url=gateway.url) as other:
        of_other = _form_token(other.get("/sessions").text)
        client.get("/sessions")
        for csrf in ("", "0" * 48, of_other):
            answer = client.post(f"/sessions/{session}/delete", data={"csrf": csrf})
            assert answer.status_code == 403
        assert gateway.api("GET", f"/sessions/{session}").status_code == 200
        csrf = _form_token(client.get("/sessions").text)
        foreign = client.post(
            f"/sessions/{session}/delete", data={"csrf": csrf}, headers={"Origin": "https://evil.test"}
        )
        assert foreign.status_code == 403
        assert client.post(f"/sessions/{session}/delete", data={"csrf": csrf}).status_code == 303
    assert gateway.api("GET", f"/sessions/{session}").status_code == 404


def test_an_agents_handle_opens_no_page(guarded: Gateway) -> None:
    made = guarded.api(
        "POST", "/sessions", json={"world": "empty"}, headers={"Authorization": f"Bearer {_TOKEN}"}
    ).json()
    handle = {"Authorization": f"Bearer {made['handle']}"}
    for path in ("/sessions", f"/sessions/{made['id']}/data"):
        assert httpx2.get(guarded.url + path, headers=handle).status_code == 303
    own = f"{guarded.url}/api/sessions/{made['id']}"
    for path in ("search?q=x", "tables", "tables/lark/user?format=csv", "journal.csv"):
        assert httpx2.get(f"{own}/{path}", headers=handle).status_code == 401
    assert httpx2.post(f"{own}/query", json={"sql": "SELECT 1"}, headers=handle).status_code == 401


def test_an_invalid_cookie_is_replaced(gateway: Gateway) -> None:
    session = gateway.session(world="empty")["id"]
    with httpx2.Client(base_url=gateway.url, headers={"Cookie": "soundstage=of.another.start"}) as client:
        page = client.get("/sessions")
    with httpx2.Client(base_url=gateway.url, cookies={"soundstage": page.cookies["soundstage"]}) as client:
        form = {"csrf": _form_token(page.text)}
        assert client.post(f"/sessions/{session}/reset", data=form).status_code == 303
