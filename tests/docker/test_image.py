"""docker/Dockerfile: the packages of the image, its user, and its health check."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from tests.conftest import REPOSITORY, Gateway
from tests.docker.dockerfile import final_stage, instructions
from tests.ports import free_port

_PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())


def test_the_image_starts_the_console_script_and_not_as_root() -> None:
    stage = final_stage()
    (script,) = _PROJECT["project"]["scripts"]
    assert json.loads(stage["ENTRYPOINT"]) == [script]
    assert json.loads(stage["CMD"]) == ["serve"]
    user, _, group = stage["USER"].partition(":")
    assert int(user) > 0, "a number, so that an orchestrator can see that it is not root"
    assert int(group) > 0
    assert stage["STOPSIGNAL"] == "SIGTERM"
    assert stage["EXPOSE"] == "8700"


def test_every_installed_package_is_pinned_by_its_hash() -> None:
    fetched = []
    for name, rest in instructions():
        for command in rest.split("&&") if name == "RUN" else []:
            words = shlex.split(command)
            if {"install", "wheel"} & set(words) and words[0].endswith("pip"):
                assert "--no-index" in words or "--require-hashes" in words, command
                if "--require-hashes" in words:
                    fetched.append(words[words.index("-r") + 1])
    assert fetched == ["requirements-build.lock", "requirements.lock"]
    (backend,) = _PROJECT["build-system"]["requires"]
    assert re.search(f"^{backend}==", (REPOSITORY / "requirements-build.lock").read_text(), re.MULTILINE)


def test_every_source_of_the_build_is_sent_to_the_builder() -> None:
    copied = {
        word
        for name, rest in instructions()
        if name == "COPY" and not rest.startswith("--from")
        for word in rest.split()[:-1]
    }
    sources = _PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
    assert copied >= {*sources, "pyproject.toml"}
    assert all((REPOSITORY / source).exists() for source in copied)
    rules = (REPOSITORY / ".dockerignore").read_text().splitlines()
    assert "*" in rules, "what is not named stays out: data folders, environments, the repository's history"
    assert {rule[1:] for rule in rules if rule.startswith("!")} == copied


def test_both_stages_have_the_same_python() -> None:
    bases = [rest.split()[0] for name, rest in instructions() if name == "FROM"]
    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert bases[0].endswith("-slim")


def test_nothing_is_written_next_to_the_program() -> None:
    environment = final_stage()["ENV"]
    assert environment["PYTHONDONTWRITEBYTECODE"] == "1"
    assert environment["SOUNDSTAGE_DATA"] == "/data"
    assert environment["SOUNDSTAGE_TOKEN_FILE"].startswith("/data/")
    assert any("compileall" in rest for name, rest in instructions() if name == "RUN")


@pytest.mark.parametrize("running", [True, False])
def test_the_health_check_reports_whether_the_gateway_answers(running: bool, gateway: Gateway) -> None:
    kind, _, command = final_stage()["HEALTHCHECK"].partition("CMD ")
    assert "--interval" in kind
    program, *arguments = json.loads(command)
    assert program == "python"
    port = gateway.url.rpartition(":")[2] if running else str(free_port())
    done = subprocess.run(
        [sys.executable, *arguments], env={**os.environ, "SOUNDSTAGE_PORT": port}, capture_output=True
    )
    assert (done.returncode == 0) is running
