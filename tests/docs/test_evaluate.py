"""The agents of docs/evaluate-your-agent.md work on trials exactly as printed on the page, with a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from soundstage.grading.oracle import oracle
from soundstage.grading.task import Task, read_task
from soundstage.models.stub import Call, StubModel, Troubles, Turn
from soundstage.runs.dry_run import DryRun
from soundstage.runs.task_files import task_folder
from soundstage.servers.catalogue import load_app
from tests.conftest import (
    REPOSITORY,
    Gateway,
    clean_environment,
    run_here,
    soundstage_command,
    start_gateway,
    stop_gateway,
)

pytestmark = pytest.mark.long

PAGE = (REPOSITORY / "docs" / "evaluate-your-agent.md").read_text()
TOKEN = "of-the-control-plane"
ERRAND = "studio/errand"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def script(name: str, folder: Path) -> Path:
    """Write a program of the page, which has its name in the first line."""
    (body,) = (body for _, body in _FENCE.findall(PAGE) if body.startswith(f"# {name}\n"))
    file = folder / name
    file.write_text(body)
    return file


def commands(word: str) -> list[list[str]]:
    """Return the page's commands that contain a word, split as by a shell."""
    text = "\n".join(body for kind, body in _FENCE.findall(PAGE) if kind in ("sh", "text"))
    return [shlex.split(line) for line in text.replace("\\\n", " ").splitlines() if word in line]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory, worlds_folder: Path) -> Iterator[Gateway]:
    data = tmp_path_factory.mktemp("evaluated")
    (data / "worlds").symlink_to(worlds_folder)
    started = start_gateway(data, "--token", TOKEN)
    yield started
    stop_gateway(started)


@pytest.fixture(scope="module")
def task() -> Task:
    return read_task(task_folder(ERRAND))[0]


@pytest.fixture(scope="module")
def turns(task: Task, worlds_folder: Path) -> list[Turn]:
    """The turns of a model that does the example task as its oracle does."""
    done = DryRun(task, worlds_folder).try_script(oracle(task))
    calls = [Call(load_app(str(c.app)).prefixed(c.tool), c.arguments or {}) for c in done.evidence.calls]
    return [*(Turn(calls=(call,)) for call in calls), Turn(task.oracle_answer)]


@pytest.fixture
def model(turns: list[Turn]) -> Iterator[StubModel]:
    with StubModel({"": turns}, seed=2, troubles=Troubles(rate_limit=0.4)) as stub:
        yield stub


def runs(gateway: Gateway, *arguments: str, **environment: str) -> Any:
    """Return the JSON output of `soundstage runs …`."""
    everything = {"SOUNDSTAGE_URL": gateway.url, "SOUNDSTAGE_TOKEN": TOKEN, **environment}
    done = run_here("runs", *arguments, "--data", str(gateway.data), "--json", environment=everything)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def solved(gateway: Gateway, model: StubModel, agent: str, *names: str, **environment: str) -> None:
    """Run an agent on the example task, and check its result and the usage that it reports."""
    run = runs(gateway, "start", ERRAND, "--agent-name", "of the page")["id"]
    given = {
        "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "sk-none", "MODEL": "scripted", **environment,
    }  # fmt: skip
    passed = [option for name in (*given, *names) for option in ("--env", name)]
    shown = runs(gateway, "drive", run, "--agent", agent, *passed, **given)
    (trial,) = gateway.api(
        "GET", f"/runs/{run}/results", headers={"Authorization": f"Bearer {TOKEN}"}
    ).text.splitlines()
    assert shown["success"] == 1.0, trial
    used = json.loads(trial)["usage"]
    assert used["input_tokens"] == sum(a.input_tokens for a in model.requests) > 0
    assert used["output_tokens"] == sum(a.output_tokens for a in model.requests) > 0
    assert "rate_limit" in {a.trouble for a in model.requests}


def environment_with(folder: Path, *packages: str) -> Path:
    """Create an environment with these packages, and return its Python. The test skips if they cannot be installed."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "1",
        *packages,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
    if done.returncode != 0:
        pytest.skip(
            f"needs a package index for {' '.join(packages)}, and pip reaches none: {done.stderr.strip()[-300:]}"
        )
    return python


def packages(wanted: str) -> list[str]:
    """Return the packages that the page installs, by the first of them."""
    return next(
        requirements.split()
        for requirements in re.findall(r"`pip install ([^`]+)`", PAGE)
        if requirements.startswith(wanted)
    )


def test_the_python_script_with_the_mcp_client_solves_the_task(
    gateway: Gateway, model: StubModel, tmp_path: Path
) -> None:
    solved(gateway, model, f"{sys.executable} {script('agent.py', tmp_path)}")


def test_the_script_with_the_openai_agents_sdk_solves_the_task(
    gateway: Gateway, model: StubModel, tmp_path: Path
) -> None:
    python = environment_with(tmp_path / "agents", *packages("openai-agents"))
    solved(gateway, model, f"{python} {script('agents_sdk.py', tmp_path)}")


def test_the_script_with_langgraph_solves_the_task(gateway: Gateway, model: StubModel, tmp_path: Path) -> None:
    python = environment_with(tmp_path / "langgraph", *packages("langgraph"))
    solved(gateway, model, f"{python} {script('langgraph_agent.py', tmp_path)}")


CLAUDE = """#!{python}
'''Stands for Claude Code: its command line, its configuration of servers, its report; the model is scripted.'''
import argparse, json, os, subprocess, sys

said = argparse.ArgumentParser()
said.add_argument("--print", required=True)
said.add_argument("--mcp-config", nargs="+", required=True)
said.add_argument("--strict-mcp-config", action="store_true", required=True)
said.add_argument("--tools", required=True, choices=[""])
said.add_argument("--allowedTools", nargs="+", required=True)
said.add_argument("--output-format", required=True, choices=["json"])
asked = said.parse_args()
(name, server), = json.load(open(asked.mcp_config[0]))["mcpServers"].items()
assert server["type"] == "http" and asked.allowedTools == ["mcp__" + name]
mine = dict(os.environ, SOUNDSTAGE_MCP_URL=server["url"], SOUNDSTAGE_INSTRUCTION=asked.print)
done = subprocess.run([sys.executable, {agent!r}], env=mine, capture_output=True, text=True, check=True)
used = json.load(open("usage.json"))
print(json.dumps({{"type": "result", "is_error": False, "result": done.stdout.strip(), "total_cost_usd": 0.01, "usage": used}}))
"""


def test_claude_code_solves_the_task_by_command(gateway: Gateway, model: StubModel, tmp_path: Path) -> None:
    claude = tmp_path / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text(CLAUDE.format(python=sys.executable, agent=str(script("agent.py", tmp_path))))
    claude.chmod(0o755)
    path = f"{claude.parent}{os.pathsep}{os.environ['PATH']}"
    solved(gateway, model, f"sh {script('claude-code.sh', tmp_path)}", PATH=path)


DOCKER = """#!{python}
'''Stands for docker run: hands on the variables that are named, and nothing else.'''
import argparse, os, sys

said = argparse.ArgumentParser()
said.add_argument("run", choices=["run"])
for flag in ("--rm", "--init"):
    said.add_argument(flag, action="store_true", required=True)
said.add_argument("--network", choices=["host"], required=True)
said.add_argument("--env", action="append")
said.add_argument("image")
asked = said.parse_args()
inside = {{name: os.environ[name] for name in asked.env}}
inside |= {{"PATH": "/usr/bin:/bin", "OPENAI_BASE_URL": {url!r}, "MODEL": "in the image"}}
os.execve(sys.executable, [sys.executable, {agent!r}], inside)
"""


def test_the_container_gets_what_it_needs(gateway: Gateway, model: StubModel, tmp_path: Path) -> None:
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    agent = str(script("agent.py", tmp_path))
    docker.write_text(DOCKER.format(python=sys.executable, agent=agent, url=model.base_url))
    docker.chmod(0o755)
    (command,) = commands("docker run")
    path = f"{docker.parent}{os.pathsep}{os.environ['PATH']}"
    solved(gateway, model, command[command.index("--agent") + 1], PATH=path)


def test_a_custom_runner_with_curl_solves_the_task(gateway: Gateway, tmp_path: Path) -> None:
    made = runs(gateway, "start", ERRAND)
    mine = {**clean_environment(), "GATEWAY": gateway.url, "RUN_TOKEN": made["run_token"]}
    file = script("one-trial.sh", tmp_path)
    done = subprocess.run(["sh", str(file)], cwd=tmp_path, env=mine, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "dry run" in done.stdout
    assert '"message_id"' in done.stdout
    assert runs(gateway, "watch", made["id"])["progress"]["ended"] == {"answered": 1}


def test_claude_desktop_solves_the_task_by_prompt_and_answer_tool(
    gateway: Gateway, task: Task, turns: list[Turn]
) -> None:
    start, drive = (c for c in commands("claude-desktop") + commands("--agent person"))
    runs(gateway, *start[2:])
    mine = {**clean_environment(), "SOUNDSTAGE_URL": gateway.url, "SOUNDSTAGE_TOKEN": TOKEN}
    driver = subprocess.Popen([*soundstage_command(), *drive[1:]], env=mine, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    url = next(waits_at[1] for line in driver.stdout if (waits_at := re.search(r"waits at (\S+) for", line)))

    async def work() -> None:
        async with Client(url) as client:
            (prompt,) = (await client.get_prompt("task")).messages
            assert task.instruction.strip() in prompt.content.text
            assert "submit_answer" in [tool.name for tool in (await client.list_tools()).tools]
            for turn in turns[:-1]:
                await client.call_tool(turn.calls[0].tool, dict(turn.calls[0].arguments))
            await client.call_tool("submit_answer", {"text": turns[-1].say})

    asyncio.run(work())
    output = driver.stdout.read()
    assert driver.wait(60) == 0
    assert "success 100.0%" in output


def test_the_commands_of_the_page_work_in_a_folder_without_a_gateway(tmp_path: Path, worlds_folder: Path) -> None:
    (tmp_path / "worlds").symlink_to(worlds_folder)
    mine = {**clean_environment(), "SOUNDSTAGE_DATA": str(tmp_path)}
    shell = [shlex.split(line) for kind, body in _FENCE.findall(PAGE) if kind == "sh" for line in body.splitlines()]
    for command in shell:
        done = subprocess.run([*soundstage_command(), *command[1:]], env=mine, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if command[:3] == ["soundstage", "runs", "drive"]:
            assert "success 100.0%, score 1.000" in done.stdout
    assert not (tmp_path / "gateway.json").exists()
