"""The skill for coding agents: its commands run in order as written, and its manifests refer to it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import soundstage
from tests.conftest import REPOSITORY, clean_environment, soundstage_command
from tests.docs.test_snippets import _snippets
from tests.ports import free_port

_SKILL = REPOSITORY / "skills" / "soundstage" / "SKILL.md"
_MARKETPLACES = (".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json")
_MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json")


def _read(name: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((REPOSITORY / name).read_text())
    return manifest


@pytest.mark.long
def test_the_skills_commands_run_in_order(tmp_path: Path) -> None:
    port = str(free_port())
    folder = Path(soundstage_command()[0]).parent
    environment = clean_environment() | {"SOUNDSTAGE_DATA": str(tmp_path / "data")}
    environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
    shown = []
    try:
        for commands in _snippets(_SKILL, "sh"):  # each in a separate shell, as agents run them
            script = ["bash", "-ec", commands.replace("8700", port)]
            done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=120)
            assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
            shown.append(done.stdout)
    finally:
        if (pid := tmp_path / "soundstage.pid").exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid.read_text()), signal.SIGTERM)
    started, session, catalogue, changes = shown
    assert json.loads(started) == {"status": "ok"}
    assert json.loads(session)["mcp_url"].startswith(f"http://127.0.0.1:{port}/"), "the gateway made it"
    assert "task_v2_task_create" in catalogue
    assert "Order gaffer tape" in changes


@pytest.mark.long
def test_the_skills_programs_run(tmp_path: Path) -> None:
    for snippet in _snippets(_SKILL, "python"):
        program = tmp_path / "test_snippet.py"
        program.write_text(snippet)
        how = ["-m", "pytest", "-p", "no:cacheprovider"] if "def test_" in snippet else []
        command = [sys.executable, *how, str(program)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=clean_environment())
        assert done.returncode == 0, f"{snippet}\n{done.stdout}\n{done.stderr}"


def test_the_skills_description_fits_the_length_limit() -> None:
    match = re.match(r"---\n(.*?)\n---\n", _SKILL.read_text(), re.DOTALL)
    assert match is not None
    front = yaml.safe_load(match[1])
    assert front.keys() == {"name", "description"}
    assert front["name"] == _SKILL.parent.name, "as the format asks"
    assert len(front["description"]) <= 1024, "as the format asks"


@pytest.mark.parametrize("name", _MANIFESTS)
def test_a_manifest_refers_to_the_skill(name: str) -> None:
    manifest = _read(name)
    assert manifest["name"] == "soundstage"
    assert manifest["skills"].startswith("./")
    assert (REPOSITORY / manifest["skills"] / "soundstage" / "SKILL.md") == _SKILL
    assert manifest.get("version", soundstage.__version__) == soundstage.__version__


def test_the_marketplaces_offer_the_plugin() -> None:
    for marketplace, manifest in zip(_MARKETPLACES, _MANIFESTS, strict=True):
        (offered,) = _read(marketplace)["plugins"]
        assert offered["name"] == _read(manifest)["name"]
        source = offered["source"]
        where = source if isinstance(source, str) else source["path"]
        assert where.startswith("./")
        assert (REPOSITORY / where / manifest).exists()
