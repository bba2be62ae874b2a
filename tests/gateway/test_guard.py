from __future__ import annotations

import socket

import httpx2
import pytest

from tests.conftest import Gateway, start_gateway, stop_gateway

PATHS = ["/healthz", "/api/sessions", "/mcp", "/s/nobody/mcp", "/openapi.json", "/metrics"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8700", "127.0.0.1.evil.example", ""])
def test_hosts_outside_the_allowed_ones_get_421(gateway: Gateway, path: str, host: str) -> None:
    response = httpx2.get(f"{gateway.url}{path}", headers={"Host": host})
    assert response.status_code == 421 if host else response.status_code in (400, 421)
    if host:
        assert host in response.json()["error"]
        assert "localhost" in response.json()["error"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example"])
def test_origins_outside_the_allowed_ones_get_403(gateway: Gateway, path: str, origin: str) -> None:
    response = httpx2.post(f"{gateway.url}{path}", headers={"Origin": origin}, json={})
    assert response.status_code == 403
    assert origin in response.json()["error"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:evil.example", "localhost:8700@evil.example", "localhost:99999", "localhost:"]
)
def test_a_host_header_with_an_invalid_port_is_refused(gateway: Gateway, host: str) -> None:
    assert httpx2.get(f"{gateway.url}/healthz", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("header", ["Host", "Origin"])
def test_a_repeated_host_or_origin_header_is_refused(gateway: Gateway, header: str) -> None:
    place = gateway.url.rpartition("/")[2]
    lines = {"Host": [f"Host: {place}"], "Origin": [f"Origin: {gateway.url}"]}
    lines[header] *= 2
    host, _, port = place.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall("\r\n".join(["GET /healthz HTTP/1.1", *lines["Host"], *lines["Origin"], "", ""]).encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


def test_local_names_and_origins_pass(gateway: Gateway) -> None:
    port = gateway.url.rpartition(":")[2]
    for headers in (
        {"Host": f"localhost:{port}"},
        {"Origin": f"http://localhost:{port}"},
        {"Origin": "http://127.0.0.1:3000"},
    ):
        assert httpx2.get(f"{gateway.url}/healthz", headers=headers).status_code == 200


def test_a_named_host_passes(tmp_path_factory: pytest.TempPathFactory) -> None:
    started = start_gateway(tmp_path_factory.mktemp("data"), "--allow-host", "soundstage.example")
    try:
        assert httpx2.get(f"{started.url}/healthz", headers={"Host": "soundstage.example"}).status_code == 200
        assert httpx2.get(f"{started.url}/healthz", headers={"Host": "other.example"}).status_code == 421
    finally:
        stop_gateway(started)


def test_a_body_over_the_limit_is_refused_with_both_figures(gateway: Gateway) -> None:
    body = b'{"lark": "' + b"x" * (8 * 1024 * 1024) + b'"}'
    for path in ("/api/sessions", "/mcp"):
        response = httpx2.post(f"{gateway.url}{path}", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 413
        assert str(len(body)) in response.json()["error"]
        assert "8388608" in response.json()["error"]


def test_a_body_without_a_declared_size_is_cut_off_at_the_limit(gateway: Gateway) -> None:
    def chunks() -> object:
        for _ in range(9):
            yield b" " * 1024 * 1024

    for path in ("/api/sessions", "/mcp"):
        response = httpx2.post(f"{gateway.url}{path}", content=chunks(), headers={"Content-Type": "application/json"})  # type: ignore[arg-type]
        assert response.status_code == 413


def test_an_agents_handle_opens_nothing_of_the_control_plane(gateway: Gateway) -> None:
    handle = gateway.session()["handle"]
    for method, path in (("GET", "/sessions"), ("POST", "/sessions"), ("GET", f"/sessions/{handle}"), ("GET", "/apps")):
        response = gateway.api(method, path, headers={"Authorization": f"Bearer {handle}"}, json={})
        assert response.status_code == 401, (method, path)
        assert "handle never does" in response.json()["error"]
    assert gateway.api("GET", f"/sessions/{handle}/state").status_code == 404


@pytest.mark.long
def test_a_configured_token_is_required(tmp_path_factory: pytest.TempPathFactory) -> None:
    started = start_gateway(tmp_path_factory.mktemp("data"), "--token", "s3cret-token")
    try:
        assert started.api("GET", "/sessions").status_code == 401
        assert started.api("GET", "/sessions", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert started.api("GET", "/sessions", headers={"Authorization": "Basic s3cret-token"}).status_code == 401
        opened = started.api("GET", "/sessions", headers={"Authorization": "Bearer s3cret-token"})
        assert opened.status_code == 200
        assert httpx2.get(f"{started.url}/healthz").status_code == 200
    finally:
        stop_gateway(started)
