"""docker-compose.yml: the services of each profile, their published ports, and their restrictions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

import pytest
import typer.main
import yaml

from soundstage.cli.main import app
from soundstage.gateway.settings import DEFAULT_PORT
from tests.conftest import REPOSITORY
from tests.docker.dockerfile import final_stage

_FILE = REPOSITORY / "docker-compose.yml"
_TEXT = _FILE.read_text()
_SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(_TEXT)["services"]
_STARTED = {
    "default": {"gateway"},
    "postgres": {"gateway-postgres", "postgres"},
    "replicas": {"gateway-1", "gateway-2", "proxy", "postgres"},
}
_GATEWAYS = sorted(name for name, service in _SERVICES.items() if service["image"] == "soundstage")
_DRAIN_S = 10  # the maximum time that a gateway takes to end


def _of(profile: str) -> dict[str, dict[str, Any]]:
    return {name: service for name, service in _SERVICES.items() if profile in service["profiles"]}


def _mounts(service: dict[str, Any]) -> dict[str, str]:
    """Return the mount point of each volume or folder."""
    return dict(mount.split(":")[:2] for mount in service["volumes"])


def _seconds(text: str) -> int:
    assert text.endswith("s")
    return int(text[:-1])


@pytest.mark.parametrize("profile", _STARTED)
def test_each_profile_starts_exactly_its_services(profile: str) -> None:
    assert _of(profile).keys() == _STARTED[profile]


def test_every_service_belongs_to_a_profile_and_plain_up_starts_the_default_one() -> None:
    assert {p for service in _SERVICES.values() for p in service["profiles"]} == set(_STARTED)
    assert "COMPOSE_PROFILES=default" in (REPOSITORY / ".env").read_text().splitlines()


@pytest.mark.parametrize("profile", _STARTED)
def test_only_one_service_of_a_profile_is_published_and_only_on_loopback(profile: str) -> None:
    published = [port for service in _of(profile).values() for port in service.get("ports", [])]
    assert published == [f"127.0.0.1:${{SOUNDSTAGE_PORT:-{DEFAULT_PORT}}}:8700"]
    assert f"http://127.0.0.1:{DEFAULT_PORT}" in (REPOSITORY / "README.md").read_text()


@pytest.mark.parametrize("name", _SERVICES)
def test_every_service_is_restricted(name: str) -> None:
    service = _SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert all(mount.startswith("/tmp:") and "noexec" in mount for mount in service["tmpfs"])
    assert not any("docker.sock" in mount for mount in service.get("volumes", []))
    if service["image"] != "soundstage":  # the user of that image is not root
        assert service["user"] not in ("root", "0", "0:0")


@pytest.mark.parametrize("name", _GATEWAYS)
def test_a_gateway_has_a_data_volume_and_time_to_end(name: str) -> None:
    service = _SERVICES[name]
    assert "/data" in _mounts(service).values()
    assert _seconds(service["stop_grace_period"]) >= 2 * _DRAIN_S
    assert "HEALTHCHECK" in final_stage()
    assert "healthcheck" not in service


@pytest.mark.parametrize("profile", _STARTED)
def test_the_gateways_of_a_profile_share_one_data_volume(profile: str) -> None:
    volumes = {
        source
        for name, service in _of(profile).items()
        if name in _GATEWAYS
        for source, at in _mounts(service).items()
        if at == "/data"
    }
    assert len(volumes) == 1


@pytest.mark.parametrize("profile", _STARTED)
def test_one_service_of_a_profile_builds_the_image(profile: str) -> None:
    assert len([s for s in _of(profile).values() if "build" in s]) == 1


@pytest.mark.parametrize("profile", _STARTED)
def test_a_dependency_starts_with_its_service_and_reports_its_health(profile: str) -> None:
    started = _of(profile)
    for service in started.values():
        for name, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert name in _GATEWAYS or "healthcheck" in started[name]


def test_the_registry_has_no_network_and_only_gateways_reach_its_socket() -> None:
    assert _SERVICES["postgres"]["network_mode"] == "none"
    assert "ports" not in _SERVICES["postgres"]
    assert "listen_addresses=" in _SERVICES["postgres"]["command"]
    with_socket = {name for name, s in _SERVICES.items() if "postgres-socket" in _mounts(s)}
    assert with_socket == {"postgres", "gateway-postgres", "gateway-1", "gateway-2"}
    for name in with_socket - {"postgres"}:
        (folder,) = (at for source, at in _mounts(_SERVICES[name]).items() if source == "postgres-socket")
        assert _SERVICES[name]["environment"]["SOUNDSTAGE_REGISTRY"].endswith(f"?host={folder}")


def test_the_file_contains_no_secret_and_requires_none() -> None:
    assert not re.search(r"\$\{[^}]*:?\?", _TEXT), "a variable that must be set breaks every profile, not only its own"
    for service in _SERVICES.values():
        assert not {n for n in service.get("environment", {}) if re.search("PASSWORD|TOKEN|SECRET|KEY", n)}


def test_the_proxy_knows_every_gateway_of_its_profile() -> None:
    text = (REPOSITORY / "docker" / "nginx" / "gateways.conf").read_text()
    named = set(re.findall(r"^server ([\w-]+):8700 resolve ", text, re.MULTILINE))
    assert named == _of("replicas").keys() & set(_GATEWAYS)
    for name in named:
        assert _SERVICES[name]["environment"]["SOUNDSTAGE_ADVERTISE"] == f"http://{name}:8700"
        assert name in _SERVICES[name]["environment"]["SOUNDSTAGE_ALLOW_HOST"].split()
    at = _mounts(_SERVICES["proxy"])
    assert at == {"./docker/nginx.conf": "/etc/nginx/nginx.conf", "./docker/nginx": "/etc/nginx/nginx"}
    assert all((REPOSITORY / source).exists() for source in at)


def test_every_setting_given_to_the_gateways_exists() -> None:
    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    known = {option.envvar for option in command.params}
    given = {n for name in _GATEWAYS for n in _SERVICES[name]["environment"]} | final_stage()["ENV"].keys()
    assert {name for name in given if name.startswith("SOUNDSTAGE_")} <= known


@pytest.mark.parametrize("profile", _STARTED)
def test_compose_accepts_the_file(profile: str) -> None:
    if shutil.which("docker-compose") is None:
        pytest.skip("needs docker-compose, which checks a file without a container engine")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SOUNDSTAGE_", "COMPOSE_"))}
    done = subprocess.run(
        ["docker-compose", "--profile", profile, "config", "--quiet"],
        cwd=REPOSITORY, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr
