"""`soundstage doctor` on a machine with clients in several states."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from soundstage.gateway.connect.checks import limits
from soundstage.gateway.connect.clients import CLIENTS
from soundstage.gateway.connect.trial import Trial
from tests.conftest import clean_environment, soundstage_command


def _run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**clean_environment(), "HOME": str(home), "XDG_CONFIG_HOME": ""}
    command = [*soundstage_command(), *arguments, "--data", str(home / "data")]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


@pytest.mark.long
def test_a_working_a_broken_and_a_missing_client_are_reported(tmp_path: Path) -> None:
    assert _run(tmp_path, "connect", "cursor", "--apps", "slack", "--tools", "search").returncode == 0
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text("{ oops")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.soundstage]\ncommand = "/nowhere/soundstage"\n')
    done = _run(tmp_path, "doctor", "--json")
    assert done.returncode == 1
    findings: list[dict[str, Any]] = json.loads(done.stdout)
    by = {f["about"]: f for f in reversed(findings)}
    assert by["Cursor: soundstage"]["verdict"] == "ok"
    assert "answers" in by["Cursor: soundstage"]["what"]
    assert by["Gemini CLI"]["verdict"] == "bad"
    assert by["Codex: soundstage"]["verdict"] == "bad"
    assert by["Codex: soundstage"]["advice"] == "rewrite the entry: soundstage connect codex"
    assert by["VS Code"]["verdict"] == "note"
    assert by["data folder"]["verdict"] == "ok"
    assert "versions" in by
    assert json.loads(_run(tmp_path, "sessions", "list", "--json").stdout)["sessions"] == []


def test_too_many_tools_and_overlong_names_are_reported_with_advice() -> None:
    trial = Trial(1.0, [f"tool_{i}_{'x' * 50}" for i in range(120)], 40_000, "tool", 200_000)
    texts = {
        name: " ".join(f.what + f.advice for f in limits(CLIENTS[name], "soundstage", "x", trial)) for name in CLIENTS
    }
    assert "at most 100" in texts["windsurf"]
    assert "--tools search" in texts["windsurf"]
    assert "over 64 characters" in texts["claude-code"]
    assert "mcp__soundstage__" in texts["claude-code"]
    assert "over 60 characters as the client calls them, such as soundstage:" in texts["cursor"]
    assert "over" not in texts["windsurf"]
    assert "200,000 bytes" in texts["claude-code"]


def test_a_tool_list_that_fills_the_context_is_reported_only_where_it_matters() -> None:
    trial = Trial(1.0, ["a_tool"], 171_620, "a_tool", 10)
    verdicts = {
        name: next(f.verdict for f in limits(CLIENTS[name], "soundstage", "x", trial) if "tokens" in f.what)
        for name in CLIENTS
    }
    assert verdicts["claude-desktop"] == "note"
    assert verdicts["claude-code"] == "ok", "it looks tools up when it needs them"
